// Keeps the session of the open chat equal to the chat, whatever happened to it, and shows its state. One reconciliation runs at a time;
// what happens meanwhile is taken up by the next.

import { NotFoundError, type TavernkeepClient } from "@tavernkeep/sdk";
import { isEnabled } from "./card.ts";
import { floorsOf, promptEnd } from "./chat.ts";
import { failuresOf } from "./failures.ts";
import { partsOf, type Place, placeOf } from "./identity.ts";
import { bindAll, openChat, type OpenChat } from "./open-chat.ts";
import { addPending } from "./pending.ts";
import { publish, publishStored, withdraw } from "./published.ts";
import { connect, isAway, reasonOf } from "./server.ts";
import { dropSession, renameSession } from "./sessions.ts";
import { type Pending, saveSettings, settings } from "./settings.ts";
import { readShown } from "./shown.ts";
import { context, type Metadata } from "./sillytavern.ts";
import { hasNews, syncChat } from "./sync.ts";
import { t } from "./texts.ts";

export type Status = "off" | "idle" | "disabled" | "working" | "ready" | "away" | "refused";

const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 30_000;
const SAVE_AFTER_MS = 300;
const REFUSED_AFTER_MS = 10_000;

export class Keeper {
  status: Status = "idle";
  reason = "";
  /** Called when the status changed. */
  onStatus: () => void = () => {};
  private open: OpenChat | null = null;
  private generation: string | null = null;
  private preparedAt = 0;
  private running: Promise<void> | null = null;
  private waiting: Promise<void> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private saving: ReturnType<typeof setTimeout> | undefined;
  private retryMs = RETRY_FIRST_MS;
  private wasAway = false;
  private refusedWith = "";

  get session(): string | null {
    return this.open?.session ?? null;
  }

  get character(): string | null {
    return this.open?.character ?? null;
  }

  /** Whether nothing is under way and nothing waits to be saved. */
  get isIdle(): boolean {
    return this.running === null && this.waiting === null && this.saving === undefined;
  }

  client(): TavernkeepClient {
    return connect(settings());
  }

  /** Something may have changed. While a reply is generated its text is not whole; what ends the generation calls again. */
  touch(delayMs = 20): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      // A generation that was refused before it began has no event of its end.
      const isOver = document.body.dataset["generating"] !== "true" && Date.now() - this.preparedAt > REFUSED_AFTER_MS;
      if (isOver) this.generation = null;
      if (this.generation === null) void this.reconcile();
    }, delayMs);
  }

  /** Another chat was opened. */
  changeChat(): void {
    this.open = null;
    this.generation = null;
    const at = context();
    if (this.isOn(placeOf(at))) publishStored(at, at.chatMetadata, settings());
    else withdraw(at);
    this.touch();
  }

  /** A state changed on the server: its id may be another one. */
  lookAgain(): void {
    if (this.open) this.open.isBound = false;
    this.touch(100);
  }

  /** The settings changed: everything is looked up again. */
  forget(): void {
    this.open = null;
    this.retryMs = RETRY_FIRST_MS;
    this.touch();
  }

  /**
   * A message came or went. A generation adds the user's message and deletes the one that is regenerated before it reads the card, and
   * waits for this, so the state is awaited, too.
   */
  changeMessages(): Promise<void> | void {
    if (this.generation !== null) return this.prepare(this.generation);
    this.touch();
  }

  /** A generation begins: it waits for the state, but not long, and not at all while the server is away. */
  async prepare(type: string): Promise<void> {
    this.generation = type;
    this.preparedAt = Date.now();
    const done = this.reconcile();
    if (this.status === "away") return;
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, settings().wait_ms))]);
  }

  endGeneration(delayMs: number): void {
    this.generation = null;
    this.touch(delayMs);
  }

  /** Reconciles once more after what is running now. */
  reconcile(): Promise<void> {
    if (!this.running) {
      this.running = this.run().finally(() => (this.running = null));
      return this.running;
    }
    this.waiting ??= this.running.then(() => {
      this.waiting = null;
      return this.reconcile();
    });
    return this.waiting;
  }

  /** A chat was deleted or renamed. */
  note(item: Pending): void {
    settings().pending = addPending(settings().pending, item);
    saveSettings();
    this.touch();
  }

  /** Drops the newest snapshot and processes its text again. */
  async reprocess(): Promise<boolean> {
    await this.reconcile();
    const session = this.session;
    if (session === null || this.status !== "ready") return false;
    const client = this.client();
    const { snapshot_id } = await client.sessions.getState(session);
    if (snapshot_id === null) return false;
    await client.snapshots.delete(snapshot_id);
    const report = await client.sessions.process(session, { branch_id: "main", mode: "latest" });
    if ("processed" in report) this.reportFailures(await failuresOf(client, report as never));
    this.lookAgain();
    await this.reconcile();
    return true;
  }

  private async run(): Promise<void> {
    const isOn = settings().enabled;
    if (!isOn) return this.set("off");
    try {
      const client = this.client();
      await this.flush(client);
      const done = await this.reconcileChat(client).catch((error: unknown) => {
        // The session or the character was deleted: it is made again, once.
        if (!(error instanceof NotFoundError) || !this.open) throw error;
        this.open = null;
        return this.reconcileChat(client);
      });
      this.retryMs = RETRY_FIRST_MS;
      this.refusedWith = "";
      if (this.wasAway && done === "ready") toastr.success(t("back"), t("title"));
      if (done === "ready") this.wasAway = false;
      this.set(done);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (isAway(error)) {
      if (!this.wasAway) toastr.warning(t("away"), t("title"));
      this.wasAway = true;
      this.set("away", reasonOf(error));
      setTimeout(() => this.touch(), this.retryMs);
      this.retryMs = Math.min(RETRY_MAX_MS, this.retryMs * 2);
      return;
    }
    const reason = reasonOf(error);
    console.error("[Tavernkeep]", error);
    // Each event would say the same again.
    if (reason !== this.refusedWith) toastr.error(t("refused", { reason }), t("title"));
    this.refusedWith = reason;
    this.set("refused", reason);
  }

  private set(status: Status, reason = ""): void {
    this.status = status;
    this.reason = reason;
    this.onStatus();
  }

  private isOn(place: Place | null): place is Place {
    return place !== null && settings().enabled && isEnabled(place.cards, settings().all_characters);
  }

  /** Deletes and renames what was deleted and renamed while the server was away. */
  private async flush(client: TavernkeepClient): Promise<void> {
    for (let [item] = settings().pending; item !== undefined; [item] = settings().pending) {
      try {
        if ("deleted" in item) await dropSession(client, item.deleted);
        else await renameSession(client, item.renamed[0], item.renamed[1], partsOf(item.renamed[1]).chat);
      } catch (error) {
        if (isAway(error)) throw error;
        // It would be refused the next time, too, and nothing else would be done.
        console.warn("[Tavernkeep]", item, error);
      }
      settings().pending = settings().pending.filter((other) => other !== item);
      saveSettings();
    }
  }

  private async reconcileChat(client: TavernkeepClient): Promise<Status> {
    const before = context();
    if (before.groupId) await before.unshallowGroupMembers?.(before.groupId);
    else if (before.characterId !== undefined) await before.unshallowCharacter?.(before.characterId);
    const at = context();
    const place = placeOf(at);
    if (place === null || at.chat.length === 0) return "idle";
    if (!this.isOn(place)) {
      withdraw(at);
      return "disabled";
    }
    this.set("working");
    const metadata = at.chatMetadata;
    // Everything of the chat is read here, before it can change: what follows waits for the server.
    const floors = floorsOf(at.chat);
    const messages = [...at.chat];
    const rewriting = promptEnd(at.chat, this.generation) < at.chat.length;
    const open = await openChat(client, place, metadata, floors, this.open);
    this.open = open;
    const { report, known, trashed } = await syncChat(client, open.session, floors, open.known);
    open.known = known;
    if (trashed > 0) toastr.info(t("trashed", { count: trashed }), t("title"));
    if (report.job_id !== null) await client.waitForJob(report.job_id);
    else if (report.processed === null) await client.sessions.process(open.session, { branch_id: "main" });
    this.reportFailures(await failuresOf(client, report.processed));
    let shown = await readShown(client, open.session, settings(), rewriting);
    if (shown.outdated && floors.length === 1) {
      // A story that has not begun starts from the template as it is now.
      await client.sessions.process(open.session, { branch_id: "main", mode: "all" });
      shown = await readShown(client, open.session, settings(), rewriting);
    }
    // The person may have gone to another chat meanwhile.
    if (context().chatMetadata !== metadata) return "idle";
    let changed = publish(context(), metadata, settings(), shown);
    if (!open.isBound || hasNews(report)) changed = (await bindAll(client, open.session, messages)) || changed;
    open.isBound = true;
    const memory = { session: open.session, file: place.file, version: known.version, digest: known.digest };
    changed ||= JSON.stringify(metadata.tavernkeep) !== JSON.stringify(memory);
    metadata.tavernkeep = memory;
    if (changed) this.save(metadata);
    return "ready";
  }

  private reportFailures(count: number): void {
    if (count > 0) toastr.warning(t("failures", { count }), t("title"));
  }

  /** Saves the chat when nothing else is going on with it. */
  private save(metadata: Metadata): void {
    clearTimeout(this.saving);
    this.saving = setTimeout(async () => {
      if (context().chatMetadata === metadata) {
        if (this.generation !== null) return this.save(metadata);
        await context().saveChat();
      }
      this.saving = undefined;
    }, SAVE_AFTER_MS);
  }
}
