// Values are data, and SillyTavern expands `{{…}}` in everything that it puts into a prompt, in what macros gave as well.

/** The same JSON without two opening braces in a row. They stand in strings alone, where one can be written as an escape. */
export function guardedJson(json: string): string {
  return json.replace(/\{\{/g, "{\\u007b");
}

/** The same text for a reader, with an invisible character between two opening braces. */
export function guardedText(text: string): string {
  return text.replace(/\{(?=\{)/g, "{\u2060");
}
