// @tavernkeep/client-helpers: prepares answers of the variables API for display.

export { flattenPageStagedVariableWrites, type StagedWriteRow } from "./staged.js";
export { groupVariablePromotionTrace, type PromotionGroup } from "./promotions.js";
export { flattenVariableSnapshot, SCOPES, sortVariableInspectorRows, type SortOptions, type VariableInspectorRow } from "./inspector.js";
