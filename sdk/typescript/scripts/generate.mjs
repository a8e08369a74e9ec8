// Writes packages/sdk/src/schema.ts from the API document. With --check it writes nothing and fails if the file is stale.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const source = new URL("../../../openapi.json", import.meta.url);
const target = new URL("../packages/sdk/src/schema.ts", import.meta.url);

const HEAD = `// Generated from openapi.json by \`npm run generate\`. Do not edit.
import type { Json, JsonObject } from "./json.js";

`;
// Any JSON: integers beyond 2^53 arrive as bigint, which the document cannot say.
const ANY = { "#/components/schemas/JsonValue": "Json", "#/components/schemas/JsonObject": "JsonObject | null" };

const isAnyObject = (schema) => schema.type === "object" && !schema.properties && !schema.additionalProperties && !schema.required;

/** Adds what answers with a bare list or text refer to: the document has no schemas of their own for these. */
function completeSchemas(schemas) {
  for (const [name, schema] of Object.entries(schemas)) {
    if (!name.endsWith("Data")) continue;
    const wanted = schema.properties?.data?.$ref?.split("/").pop();
    if (wanted === undefined || schemas[wanted]) continue;
    const item = wanted.match(/^Vec_(.+)$/)?.[1];
    if (item && schemas[item]) schemas[wanted] = { type: "array", items: { $ref: `#/components/schemas/${item}` } };
    else if (wanted === "String") schemas[wanted] = { type: "string" };
  }
}

/** The types of the API document as text. */
export async function generate() {
  const document = JSON.parse(await readFile(source, "utf8"));
  completeSchemas(document.components.schemas);
  const ast = await openapiTS(document, {
    // A field with a default may be left out of a request, and the server leaves it out of an answer.
    defaultNonNullable: false,
    transform: (schema, { path }) => {
      const name = ANY[path] ?? (isAnyObject(schema) ? "JsonObject" : undefined);
      return name && ts.factory.createTypeReferenceNode(name);
    },
  });
  return HEAD + astToString(ast);
}

/** The types as they are stored. */
export const stored = () => readFile(target, "utf8");

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const text = await generate();
  if (!process.argv.includes("--check")) await writeFile(target, text);
  else if (text !== (await stored())) {
    console.error("packages/sdk/src/schema.ts is stale: run `npm run generate` in sdk/typescript");
    process.exit(1);
  }
}
