// 重新处理变量 in the menu at the input, beside "regenerate" and "continue".

import type { Keeper } from "./keeper.ts";
import { element } from "./panel.ts";
import { reasonOf } from "./server.ts";
import { t } from "./texts.ts";

export function addMenuItem(keeper: Keeper): void {
  const item = element("a", { id: "option_tavernkeep_reprocess" });
  const text = element("span");
  text.textContent = t("reprocess");
  item.append(element("i", { class: "fa-lg fa-solid fa-rotate" }), text);
  item.addEventListener("click", () => {
    keeper
      .reprocess()
      .then((done) => (done ? toastr.success(t("reprocessed"), t("title")) : toastr.info(t("nothing"), t("title"))))
      .catch((error: unknown) => toastr.error(t("refused", { reason: reasonOf(error) }), t("title")));
  });
  const menu = document.querySelector("#options .options-content");
  const regenerate = menu?.querySelector("#option_regenerate");
  if (regenerate) regenerate.before(item);
  else menu?.append(item);
}
