// The fifth tab: connection, session, prompt, and cleaning up.

import { allFiles } from "./files.ts";
import type { Keeper } from "./keeper.ts";
import { element, paragraph } from "./panel.ts";
import { reasonOf } from "./server.ts";
import { saveSettings, type Settings, settings } from "./settings.ts";
import { t, type TextKey } from "./texts.ts";

/** Fills the tab. `redraw` is called when the language changes. */
export function settingsForm(body: HTMLElement, keeper: Keeper, redraw: () => void): void {
  const changed = () => {
    saveSettings();
    keeper.forget();
  };
  const connection = section(body, "connection");
  field(connection, "enabled", "checkbox", changed);
  field(connection, "address", "text", changed);
  field(connection, "key", "password", changed);
  field(connection, "through_plugin", "checkbox", changed);
  connection.append(hint(t("through_plugin_hint")), hint(t("origin_hint", { origin: location.origin })), checkButton(keeper));
  const session = element("p");
  session.append(`${t("session")}: `, element("code", { class: "tavernkeep-session" }));
  connection.append(session, element("p", { class: "tavernkeep-pending" }));
  field(connection, "all_characters", "checkbox", changed);
  field(connection, "profile", "text", changed);

  const prompt = section(body, "prompt");
  choice(prompt, "position", [-1, 2, 0, 1].map((place) => [String(place), t(`position.${place}` as TextKey)]), changed);
  field(prompt, "depth", "number", changed);
  choice(prompt, "role", [["0", "system"], ["1", "user"], ["2", "assistant"]], changed);
  field(prompt, "view", "text", changed);
  field(prompt, "frame", "area", changed);
  field(prompt, "rules", "checkbox", changed);
  field(prompt, "variable", "text", changed);
  field(prompt, "object_variable", "text", changed);
  field(prompt, "wait_ms", "number", changed);

  const other = section(body, "settings");
  choice(other, "language", [["auto", t("auto")], ["zh", "中文"], ["en", "English"]], () => {
    saveSettings();
    redraw();
  });
  other.append(cleanupButton(keeper), hint(t("cleanup_hint")));
}

function section(body: HTMLElement, title: TextKey): HTMLElement {
  const made = element("fieldset", { class: "tavernkeep-section" });
  const legend = element("legend");
  legend.textContent = t(title);
  made.append(legend);
  body.append(made);
  return made;
}

function hint(text: string): HTMLElement {
  const made = paragraph(text);
  made.className = "tavernkeep-hint";
  return made;
}

type Name = Exclude<keyof Settings, "characters" | "pending">;

function field(parent: HTMLElement, name: Name, kind: "text" | "password" | "number" | "checkbox" | "area", changed: () => void): void {
  const label = element("label", { class: kind === "checkbox" ? "checkbox_label" : "tavernkeep-field" });
  const input = kind === "area" ? element("textarea", { class: "text_pole", rows: "3" }) : element("input", { type: kind, class: kind === "checkbox" ? "" : "text_pole", autocomplete: "off" });
  input.dataset["setting"] = name;
  const stored = settings();
  if (input instanceof HTMLInputElement && kind === "checkbox") input.checked = stored[name] === true;
  else input.value = String(stored[name]);
  input.addEventListener("change", () => {
    const value = kind === "checkbox" ? (input as HTMLInputElement).checked : kind === "number" ? Math.max(0, Number(input.value) || 0) : input.value;
    Object.assign(settings(), { [name]: value });
    changed();
  });
  if (kind === "checkbox") label.append(input, t(name as TextKey));
  else label.append(t(name as TextKey), input);
  parent.append(label);
}

function choice(parent: HTMLElement, name: "position" | "role" | "language", options: string[][], changed: () => void): void {
  const label = element("label", { class: "tavernkeep-field" });
  const select = element("select", { class: "text_pole", "data-setting": name });
  for (const [value = "", text = ""] of options) {
    const option = element("option", { value });
    option.textContent = text;
    select.append(option);
  }
  select.value = String(settings()[name]);
  select.addEventListener("change", () => {
    Object.assign(settings(), { [name]: name === "language" ? select.value : Number(select.value) });
    changed();
  });
  label.append(t(name), select);
  parent.append(label);
}

function checkButton(keeper: Keeper): HTMLElement {
  return actionButton("check", async () => {
    const { version } = await keeper.client().health();
    toastr.success(t("connected", { version }), t("title"));
    await keeper.reconcile();
  });
}

/** Deletes the snapshots of chats that SillyTavern no longer has, after saying how many. */
function cleanupButton(keeper: Keeper): HTMLElement {
  return actionButton("cleanup", async () => {
    const client = keeper.client();
    const files = await allFiles();
    // Sessions of other programs are none of our chats.
    for (let offset = 0; ; offset += 100) {
      const { data, meta } = await client.sessions.list({ limit: 100, offset, total: false });
      files.push(...data.filter((session) => session.metadata?.["source"] !== "sillytavern").map((session) => session.chat_file));
      if (!meta.has_more) break;
    }
    const body = { active_chat_files: files, confirm_all: files.length === 0 };
    const found = await client.snapshots.cleanUp({ ...body, dry_run: true });
    if (found.deleted === 0) {
      toastr.info(t("cleanup_nothing"), t("title"));
      return;
    }
    const chats = found.deleted_chat_files;
    if (!confirm(t("cleanup_confirm", { count: found.deleted, chats }))) return;
    let count = 0;
    for (let after = 0; ; ) {
      const report = await client.snapshots.cleanUp({ ...body, after });
      count += report.deleted;
      if (!report.more) break;
      after = report.next_after ?? 0;
    }
    toastr.success(t("cleaned", { count }), t("title"));
  });
}

function actionButton(name: TextKey, work: () => Promise<void>): HTMLElement {
  const button = element("button", { class: "menu_button", "data-action": name });
  button.textContent = t(name);
  button.addEventListener("click", () => {
    button.disabled = true;
    work()
      .catch((error: unknown) => toastr.error(t("refused", { reason: reasonOf(error) }), t("title")))
      .finally(() => (button.disabled = false));
  });
  return button;
}
