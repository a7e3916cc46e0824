// For the tests: as much of JSON Schema as the protocol's schemas use.

/** What is wrong with the value, as a list of lines; empty when it is valid. */
export function check(schema, value, root = schema, at = "$") {
  if (schema.$ref) return check(schema.$ref.slice(2).split("/").reduce((node, key) => node[key], root), value, root, at);
  const wrong = [...scalar(schema, value, at), ...object(schema, value, root, at)];
  if (schema.anyOf && !schema.anyOf.some((s) => !check(s, value, root, at).length)) wrong.push(`${at}: none of anyOf`);
  if (schema.oneOf && schema.oneOf.filter((s) => !check(s, value, root, at).length).length !== 1) wrong.push(`${at}: not one of oneOf`);
  if (schema.not && !check(schema.not, value, root, at).length) wrong.push(`${at}: matches not`);
  for (const s of schema.allOf ?? []) wrong.push(...check(s, value, root, at));
  if (schema.if && !check(schema.if, value, root, at).length && schema.then) wrong.push(...check(schema.then, value, root, at));
  return wrong;
}

const TYPES = {
  string: (v) => typeof v === "string",
  number: (v) => typeof v === "number",
  integer: Number.isInteger,
  boolean: (v) => typeof v === "boolean",
  null: (v) => v === null,
  array: Array.isArray,
  object: (v) => typeof v === "object" && v !== null && !Array.isArray(v),
};

const KNOWN = new Set("$schema title $comment $defs $ref type const enum pattern minimum minItems maxItems items properties required additionalProperties anyOf oneOf allOf not if then".split(" "));

function scalar(schema, value, at) {
  const wrong = Object.keys(schema).filter((key) => !KNOWN.has(key)).map((key) => `${at}: the test does not know ${key}`);
  if (schema.type && !TYPES[schema.type](value)) wrong.push(`${at}: not of type ${schema.type}`);
  if (Object.hasOwn(schema, "const") && value !== schema.const) wrong.push(`${at}: not ${schema.const}`);
  if (schema.enum && !schema.enum.includes(value)) wrong.push(`${at}: not one of ${schema.enum}`);
  if (schema.pattern && !new RegExp(schema.pattern).test(value)) wrong.push(`${at}: does not match ${schema.pattern}`);
  if (schema.minimum !== undefined && value < schema.minimum) wrong.push(`${at}: less than ${schema.minimum}`);
  return wrong;
}

function object(schema, value, root, at) {
  const wrong = [];
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity)) wrong.push(`${at}: ${value.length} items`);
    if (schema.items) value.forEach((item, i) => wrong.push(...check(schema.items, item, root, `${at}[${i}]`)));
  } else if (TYPES.object(value)) {
    for (const name of schema.required ?? []) if (!Object.hasOwn(value, name)) wrong.push(`${at}: no ${name}`);
    for (const [name, member] of Object.entries(value)) {
      const own = schema.properties?.[name] ?? schema.additionalProperties;
      if (own === false) wrong.push(`${at}: unknown member ${name}`);
      else if (own && own !== true) wrong.push(...check(own, member, root, `${at}.${name}`));
    }
  }
  return wrong;
}
