// Texts in English and Chinese, dates and numbers by locale.

import { en, type MessageKey } from "../messages/en.ts";
import { codesZh } from "../messages/codes.zh.ts";
import { zh } from "../messages/zh.ts";

export type Language = "en" | "zh";

const STORED = "tavernkeep.language";

function initial(): Language {
  const stored = localStorage.getItem(STORED);
  if (stored === "en" || stored === "zh") return stored;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

class Locale {
  language = $state<Language>(initial());

  set(language: Language): void {
    this.language = language;
    localStorage.setItem(STORED, language);
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  }
}

export const locale = new Locale();
document.documentElement.lang = locale.language === "zh" ? "zh-CN" : "en";

/** A text; `{name}` in it is replaced. English texts may have a form for one: `{count} floor|{count} floors`. */
export function t(key: MessageKey, params: Record<string, string | number> = {}): string {
  let text: string = (locale.language === "zh" ? zh : en)[key];
  const forms = text.split("|");
  if (forms.length === 2 && "count" in params) text = (params.count === 1 ? forms[0] : forms[1]) ?? text;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? formatNumber(value) : value;
  });
}

/** Who speaks; roles of other programs stay as they are. */
export function roleName(role: string): string {
  return role === "user" || role === "assistant" || role === "system" ? t(`speaker.${role}`) : role;
}

/** A word of the API in the language of the page; words that have no text here stay as they are. */
export function wordOf(prefix: string, word: string): string {
  const key = `${prefix}.${word}`;
  return key in en ? t(key as MessageKey) : word;
}

/** What a code of the server means, and the server's message; English pages show the message alone. */
export function withMeaning(code: string | undefined, message: string): string {
  const meaning = locale.language === "zh" && code !== undefined ? codesZh[code] : undefined;
  return meaning === undefined ? message : message === "" ? meaning : `${meaning}（${message}）`;
}

export function formatNumber(value: number): string {
  return value.toLocaleString(locale.language === "zh" ? "zh-CN" : "en", { useGrouping: Math.abs(value) >= 10_000 });
}

export function formatTime(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  return new Date(ms).toLocaleString(locale.language === "zh" ? "zh-CN" : "en", { dateStyle: "medium", timeStyle: "short" });
}
