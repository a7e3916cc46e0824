// The worked examples of the protocol, testdata/hook/<event>/: the extension gets event.json in an agent that answers as
// its ctx says, has to send in.json, gets out.json, and has to do what applied.json says. An event that takes two rounds
// has in-2.json and out-2.json as well. A program and any other harness can be tested against the same files.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { check } from "./schema.mjs";
import { Agent, Program, until } from "./testkit.mjs";

const EXAMPLES = new URL("../../../testdata/hook/", import.meta.url);
const SCHEMAS = new URL("../../schema/v1/", import.meta.url);
const read = (url) => JSON.parse(readFileSync(url, "utf8"));
const requestSchema = read(new URL("request.json", SCHEMAS));
const replySchema = read(new URL("reply.json", SCHEMAS));
const events = requestSchema.properties.event.enum;
const HOME = "/home/dev/shop";

const folders = readdirSync(EXAMPLES).filter((name) => statSync(new URL(name, EXAMPLES)).isDirectory());

test("every event of the protocol has a worked example", () => {
  assert.deepEqual(folders.toSorted(), events.toSorted());
});

for (const event of folders) {
  const file = (name) => new URL(`${event}/${name}`, EXAMPLES);
  const rounds = ["", "-2"].filter((n) => existsSync(file(`in${n}.json`))).map((n) => ({ request: read(file(`in${n}.json`)), reply: read(file(`out${n}.json`)) }));

  test(`the example of ${event} is valid by the schemas`, () => {
    for (const { request, reply } of rounds) {
      assert.deepEqual(check(requestSchema, request), []);
      assert.deepEqual(check(replySchema, reply), []);
      assert.equal(request.event, event);
    }
  });

  // A process for each event is sent the same, and what comes back is applied in the same way: some show that.
  for (const transport of ["context", "tool", "session_before_compact", "session_shutdown"].includes(event) ? ["serve", "oneshot"] : ["serve"]) {
    test(`${event} is sent and applied as in its example, ${transport}`, async (t) => {
      process.env.PICTX_TRANSPORT = transport;
      t.after(() => delete process.env.PICTX_TRANSPORT);
      await play(t, event, { ...read(file("event.json")), rounds, applied: read(file("applied.json")) });
    });
  }
}

async function play(t, event, { hello, event: given, ctx, rounds, applied }) {
  const wants = ["tool", "command", "complete"].includes(event) ? [] : [event];
  const program = new Program(t, { hello: { wants, ...hello }, answer: answering(rounds.map((round) => round.reply)) });
  // The folder of the examples exists on no machine.
  const at = (value) => JSON.parse(JSON.stringify(value).replaceAll(`"${HOME}"`, JSON.stringify(program.dir)));
  const agent = new Agent(t, at(ctx));
  if (event !== "session_start") await agent.start();
  agent.calls = [];
  const mine = at(given);
  const returned = await act(agent, event, mine);
  const sent = await until(() => (program.requests().length >= rounds.length ? program.requests() : undefined), "the requests");
  assert.deepEqual(sent, at(rounds.map((round) => round.request)));
  for (const request of sent) assert.deepEqual(check(requestSchema, request), []);
  assert.deepEqual(plain(returned ?? null), at(applied.returns ?? null));
  assert.deepEqual(plain(agent.calls), applied.calls);
  for (const [name, value] of Object.entries(applied.event ?? {})) assert.deepEqual(mine[name], at(value));
}

function answering(replies) {
  return `(request) => { const { id, ...reply } = ${JSON.stringify(replies)}[request.replies ? 1 : 0]; return reply; }`;
}

function act(agent, event, given) {
  if (event === "tool") return agent.tools.get(given.name).execute(given.toolCallId, given.params, undefined, undefined, agent.ctx);
  if (event === "command") return agent.commands.get(given.name).handler(given.args, agent.ctx);
  if (event === "complete") return agent.commands.get(given.name).getArgumentCompletions(given.prefix);
  const files = given.preparation?.fileOps;
  if (files) given.preparation.fileOps = Object.fromEntries(Object.entries(files).map(([name, paths]) => [name, new Set(paths)]));
  return agent.emit(given);
}

/** As JSON says it, where undefined is null among arguments and nothing among members. */
function plain(value) {
  return JSON.parse(JSON.stringify(value));
}
