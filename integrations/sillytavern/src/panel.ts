// The panel with the five tabs. Four of them show pages of the console, so that there is one source of them; the fifth has the settings.

import { isEnabled } from "./card.ts";
import { readCard, writeBlock, writeCard } from "./cards.ts";
import { placeOf } from "./identity.ts";
import type { Keeper } from "./keeper.ts";
import { reasonOf } from "./server.ts";
import { settings } from "./settings.ts";
import { settingsForm } from "./settings-form.ts";
import { context } from "./sillytavern.ts";
import { t, type TextKey } from "./texts.ts";

const TABS = ["template", "global", "functions", "floors", "settings"] as const satisfies TextKey[];
type Tab = (typeof TABS)[number];

export class Panel {
  private readonly root = element("div", { id: "tavernkeep_panel", class: "tavernkeep-panel", hidden: "" });
  private readonly icon = element("div", { id: "tavernkeep_icon", class: "drawer-icon fa-solid fa-diagram-project fa-fw closedIcon interactable", tabindex: "0", role: "button" });
  private tab: Tab = "template";

  constructor(private readonly keeper: Keeper) {
    const holder = document.querySelector("#top-settings-holder");
    const drawer = element("div", { id: "tavernkeep_drawer", class: "drawer" });
    const toggle = element("div", { class: "drawer-header" });
    toggle.append(this.icon);
    drawer.append(toggle);
    holder?.append(drawer);
    document.body.append(this.root);
    toggle.addEventListener("click", () => this.show(this.root.hidden));
    toggle.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") this.show(this.root.hidden);
    });
    this.mark();
  }

  /** Marks the state of the connection at the icon. */
  mark(): void {
    const text = this.statusText();
    this.icon.title = `${t("title")}: ${text}`;
    this.icon.dataset["status"] = this.keeper.status;
    const line = this.root.querySelector<HTMLElement>(".tavernkeep-status");
    if (line) {
      line.textContent = text;
      line.dataset["status"] = this.keeper.status;
    }
    const session = this.root.querySelector(".tavernkeep-session");
    if (session) session.textContent = this.keeper.session ?? "–";
    const pending = this.root.querySelector(".tavernkeep-pending");
    if (pending) pending.textContent = t("pending", { count: settings().pending.length });
  }

  statusText(): string {
    return t(`state.${this.keeper.status}`, { reason: this.keeper.reason });
  }

  show(visible: boolean, tab: Tab = this.tab): void {
    this.root.hidden = !visible;
    this.icon.classList.toggle("openIcon", visible);
    this.icon.classList.toggle("closedIcon", !visible);
    if (visible) this.draw(tab);
    // A frame that nobody sees would keep its event stream open.
    else this.root.replaceChildren();
  }

  /** Draws again what depends on the chat. */
  refresh(): void {
    if (!this.root.hidden) this.draw(this.tab);
  }

  private draw(tab: Tab): void {
    this.tab = tab;
    const head = element("div", { class: "tavernkeep-head", role: "tablist" });
    for (const name of TABS) {
      const button = element("button", { class: "menu_button tavernkeep-tab", role: "tab", "data-tab": name, "aria-selected": String(name === tab) });
      button.textContent = t(name);
      button.addEventListener("click", () => this.draw(name));
      head.append(button);
    }
    const close = element("button", { class: "menu_button fa-solid fa-xmark", title: t("close"), "aria-label": t("close") });
    close.addEventListener("click", () => this.show(false));
    head.append(element("span", { class: "tavernkeep-status" }), close);
    const body = element("div", { class: "tavernkeep-body", role: "tabpanel" });
    this.root.replaceChildren(head, body);
    if (tab === "settings") settingsForm(body, this.keeper, () => this.refresh());
    else this.consolePage(body, tab);
    this.mark();
  }

  private consolePage(body: HTMLElement, tab: Exclude<Tab, "settings">): void {
    const { session, character } = this.keeper;
    if (tab === "template") body.append(this.cardBar());
    if ((tab === "floors" && session === null) || (tab === "template" && character === null)) {
      body.append(paragraph(this.keeper.status === "ready" || this.keeper.status === "idle" ? t("no_chat") : this.statusText()));
      return;
    }
    const address = `${settings().address.trim().replace(/\/+$/, "")}/console/#/${pageOf(tab, session, character)}`;
    const link = element("a", { href: address, target: "_blank", rel: "noopener", class: "tavernkeep-link" });
    link.textContent = t("open_window");
    body.append(link);
    // Through the plugin the browser may not reach the server at all.
    if (settings().through_plugin) body.append(paragraph(t("no_frame")));
    else body.append(element("iframe", { class: "tavernkeep-frame", src: address, title: t(tab), referrerpolicy: "no-referrer" }));
  }

  /** The switch of the card, and the way of the template into the card and out of it. */
  private cardBar(): HTMLElement {
    const bar = element("div", { class: "tavernkeep-bar" });
    const place = placeOf(context());
    if (place?.group) {
      bar.append(paragraph(t("group_card")));
      return bar;
    }
    if (!place) return bar;
    const label = element("label", { class: "checkbox_label" });
    const box = element("input", { type: "checkbox", id: "tavernkeep_character_enabled" });
    box.checked = isEnabled(place.cards, settings().all_characters);
    box.addEventListener("change", () => this.perform(async () => {
      await writeBlock({ enabled: box.checked });
      await this.keeper.reconcile();
      this.refresh();
    }));
    label.append(box, t("character_enabled"));
    bar.append(label, this.button("read_card", async (character) => {
      await readCard(this.keeper.client(), character, place);
      toastr.success(t("read"), t("title"));
    }), this.button("write_card", async (character) => {
      await writeCard(this.keeper.client(), character, place);
      toastr.success(t("written"), t("title"));
    }));
    return bar;
  }

  private button(name: TextKey, work: (character: string) => Promise<void>): HTMLElement {
    const button = element("button", { class: "menu_button", "data-action": name });
    button.textContent = t(name);
    const { character } = this.keeper;
    button.disabled = character === null;
    button.addEventListener("click", () => this.perform(async () => {
      if (character !== null) await work(character);
      await this.keeper.reconcile();
      this.refresh();
    }));
    return button;
  }

  private perform(work: () => Promise<void>): void {
    work().catch((error: unknown) => toastr.error(t("refused", { reason: reasonOf(error) }), t("title")));
  }
}

function pageOf(tab: Exclude<Tab, "settings">, session: string | null, character: string | null): string {
  switch (tab) {
    case "template":
      return `characters/${encodeURIComponent(character ?? "")}`;
    case "global":
      return "global-snapshots";
    case "functions":
      return character === null ? "functions" : `functions?character=${encodeURIComponent(character)}`;
    case "floors":
      return `s/${encodeURIComponent(session ?? "")}/snapshots`;
  }
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Record<string, string> = {}): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export function paragraph(text: string): HTMLElement {
  const made = element("p");
  made.textContent = text;
  return made;
}
