// What a person does in pi's own screen and no RPC command does, as commands.
export default function (pi: any) {
  const users = (ctx: any) => ctx.sessionManager.getEntries().filter((e: any) => e.type === "message" && e.message.role === "user");
  pi.registerCommand("e2e-reload", { description: "reload", handler: async (_args: string, ctx: any) => { await ctx.reload(); } });
  // The argument is the number of a user message, and perhaps "summarize".
  pi.registerCommand("e2e-tree", {
    description: "go back to before a user message",
    handler: async (args: string, ctx: any) => {
      const [n, summarize] = args.split(" ");
      await ctx.navigateTree(users(ctx)[Number(n)].id, { summarize: summarize === "summarize" });
    },
  });
  // The argument is for how many seconds pi believes from now on that the provider keeps a prompt.
  pi.registerCommand("e2e-keeps", {
    description: "change how long prompts are kept",
    handler: async (args: string, ctx: any) => { ctx.model.promptCache = { short: Number(args), long: Number(args) }; },
  });
}
