// Calls one of pi's models. API keys never leave pi.

/**
 * Asks the models in order until one answers, and throws the last error if none does. `spent` collects the usage of
 * responses without a text, which are billed as well.
 */
export async function complete(ask: any, ctx: any, spent: any[], signal?: AbortSignal): Promise<any> {
  let failure = "no model";
  for (const name of ask.models) {
    if (signal?.aborted) throw new Error("aborted");
    try {
      const answer = await call(name, ask, ctx, spent, signal);
      if (typeof answer !== "string") return answer;
      failure = `${name}: ${answer}`;
    } catch (error: any) {
      failure = `${name}: ${error?.message ?? error}`;
    }
  }
  throw new Error(failure);
}

/** Returns the answer of one model, or a string that says why there is none. */
async function call(name: string, ask: any, ctx: any, spent: any[], signal?: AbortSignal): Promise<any> {
  const model = find(name, ctx);
  if (!model) return "not known to the agent";
  const messages = [{ role: "user", content: [{ type: "text", text: ask.prompt }], timestamp: Date.now() }];
  const response = await send(ctx, model, { systemPrompt: ask.system, messages }, { maxTokens: ask.maxTokens, signal });
  const text = texts(response?.content);
  if (response?.stopReason === "error" || response?.stopReason === "aborted" || !text.trim()) {
    if (response?.usage) spent.push(response.usage);
    return response?.errorMessage ?? `no text (${response?.stopReason ?? "no answer"})`;
  }
  return { text, model: `${model.provider}/${model.id}`, usage: response.usage, stopReason: response.stopReason };
}

function find(name: string, ctx: any): any {
  if (name === "session") return ctx.model;
  // "provider/id", and the id may itself contain slashes.
  const slash = name.indexOf("/");
  return slash < 0 ? undefined : ctx.modelRegistry.find(name.slice(0, slash), name.slice(slash + 1));
}

async function send(ctx: any, model: any, context: any, options: any): Promise<any> {
  const registry = ctx.modelRegistry;
  if (typeof registry.complete === "function") return registry.complete(model, context, options);
  const auth = await registry.getApiKeyAndHeaders(model);
  if (!auth?.ok) throw new Error(auth?.error ?? "no key for this model");
  const ai: any = await import("@mariozechner/pi-ai" as string);
  return ai.complete(model, context, { ...options, apiKey: auth.apiKey, headers: auth.headers });
}

function texts(content: any): string {
  return (Array.isArray(content) ? content : []).filter((block) => block?.type === "text").map((block) => block.text).join("\n");
}
