// Staged writes of pages as rows.

import type { StagedWrite, StagedWrites } from "@tavernkeep/sdk";

/** A staged write with the place it belongs to. */
export interface StagedWriteRow extends StagedWrite {
  pageId: string;
  floorId: string;
  sessionId: string;
  branchId: string;
  /** Whether the commit of the floor has not decided on it yet. */
  pending: boolean;
}

/** Makes one list of the answers of `variables.getPageStagedWrites`, in the order in which the writes were staged. */
export function flattenPageStagedVariableWrites(pages: StagedWrites | readonly StagedWrites[]): StagedWriteRow[] {
  const list = Array.isArray(pages) ? (pages as readonly StagedWrites[]) : [pages as StagedWrites];
  return list
    .flatMap((page) =>
      page.items.map((item) => ({
        ...item,
        pageId: page.page_id,
        floorId: page.floor_id,
        sessionId: page.session_id,
        branchId: page.branch_id,
        pending: item.status === "staged",
      })),
    )
    .sort((left, right) => left.created_at - right.created_at);
}
