import { createServer, type IncomingMessage, type Server } from "node:http";
import { log } from "../log.ts";

export interface Request {
  method: string;
  path: string;
  params: Record<string, string>;
  query: URLSearchParams;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export type Handler = (request: Request) => Promise<Reply> | Reply;

interface Route {
  method: string;
  pattern: RegExp;
  names: string[];
  handler: Handler;
}

export class Router {
  #routes: Route[] = [];

  on(method: string, path: string, handler: Handler): this {
    const names: string[] = [];
    const source = path.replace(/:(\w+)/g, (_, name: string) => (names.push(name), "([^/]+)"));
    this.#routes.push({ method, pattern: new RegExp(`^${source}$`), names, handler });
    return this;
  }

  async handle(method: string, url: string, body: unknown, headers: Request["headers"] = {}): Promise<Reply> {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    let pathMatched = false;
    for (const route of this.#routes) {
      const match = route.pattern.exec(pathname);
      if (!match) continue;
      pathMatched = true;
      if (route.method !== method) continue;
      const params = Object.fromEntries(route.names.map((name, i) => [name, decodeURIComponent(match[i + 1]!)]));
      return route.handler({ method, path: pathname, params, query: searchParams, headers, body });
    }
    return pathMatched ? { status: 405, body: { error: "method_not_allowed" } } : { status: 404, body: { error: "not_found" } };
  }

  listen(port: number): Server {
    return createServer(async (req, res) => {
      try {
        const reply = await this.handle(req.method ?? "GET", req.url ?? "/", await readJson(req), req.headers);
        res.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(JSON.stringify(reply.body));
      } catch (error) {
        log.error("http.unhandled", { url: req.url, error: String(error) });
        res.writeHead(500).end(JSON.stringify({ error: "internal" }));
      }
    }).listen(port);
  }
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text ? JSON.parse(text) : undefined;
}
