// Short names for the shapes of the API document.

import type { components, operations } from "./schema.js";

type Schemas = components["schemas"];
type Operations = operations;

/** The query string of an operation. */
export type Query<K extends keyof Operations> = NonNullable<Operations[K]["parameters"]["query"]>;
/** The body of an operation. */
export type Body<K extends keyof Operations> = Operations[K] extends { requestBody?: infer R }
  ? NonNullable<R> extends { content: { "application/json": infer B } }
    ? B
    : never
  : never;

export type Account = Schemas["Account"];
export type AppliedCommand = Schemas["AppliedCommand"];
export type Approval = Schemas["Approval"];
export type ApprovalScope = Schemas["ApprovalScope"];
export type ArchiveEntry = Schemas["ArchiveEntry"];
export type Blame = Schemas["Blame"];
export type Branch = Schemas["Branch"];
export type Browser = Schemas["Browser"];
export type Call = Schemas["Call"];
export type CallStatus = Schemas["CallStatus"];
export type Character = Schemas["Character"];
export type CharacterSummary = Schemas["CharacterSummary"];
export type ChangeOperation = Schemas["ChangeOperation"];
export type CleanupReport = Schemas["CleanupReport"];
export type Comparison = Schemas["Comparison"];
export type DenyRule = Schemas["DenyRule"];
export type Difference = Schemas["Difference"];
export type Due = Schemas["Due"];
export type Edit = Schemas["Edit"];
export type Floor = Schemas["Floor"];
export type FloorChange = Schemas["FloorChange"];
export type FunctionEntry = Schemas["FunctionEntry"];
export type FunctionFile = Schemas["FunctionFile"];
export type GlobalSnapshot = Schemas["GlobalSnapshot"];
export type GroupTool = Schemas["GroupTool"];
export type History = Schemas["History"];
export type HistoryPoint = Schemas["HistoryPoint"];
export type ImportReport = Schemas["ImportReport"];
export type Job = Schemas["Job"];
export type Key = Schemas["Key"];
export type KitPart = Schemas["KitPart"];
export type Layer = Schemas["Layer"];
/** A function of the library. */
export type LibraryFunction = Schemas["Function"];
export type ListMeta = Schemas["ListMeta"];
export type LoggedFloor = Schemas["LoggedFloor"];
export type MacroMutation = Schemas["MacroMutation"];
export type MacroUse = Schemas["MacroUse"];
export type MacroWarning = Schemas["MacroWarning"];
export type MemoryView = Schemas["MemoryView"];
export type Page = Schemas["Page"];
export type PatchOperation = Schemas["PatchOperation"];
export type ProcessReport = Schemas["ProcessReport"];
export type Promotion = Schemas["Promotion"];
export type Promotions = Schemas["Promotions"];
export type PromptKit = Schemas["PromptKit"];
export type PromptMessage = Schemas["PromptMessage"];
export type RenderedPrompt = Schemas["RenderedPrompt"];
export type ReplyProblem = Schemas["ReplyProblem"];
export type Resolved = Schemas["Resolved"];
export type ResolvedVariable = Schemas["ResolvedVariable"];
export type Scope = Schemas["Scope"];
export type ScratchVariable = Schemas["ScratchVariable"];
export type Session = Schemas["Session"];
export type Snapshot = Schemas["Snapshot"];
export type SnapshotEntry = Schemas["SnapshotEntry"];
export type StagedWrite = Schemas["StagedWrite"];
export type StagedWrites = Schemas["StagedWrites"];
export type State = Schemas["State"];
export type SyncReport = Schemas["SyncReport"];
export type TextSize = Schemas["TextSize"];
export type ToolDefaults = Schemas["ToolDefaults"];
export type ToolGroup = Schemas["ToolGroup"];
export type ToolPermission = Schemas["ToolPermission"];
export type TranscriptFloor = Schemas["TranscriptFloor"];
export type TranscriptSwipe = Schemas["TranscriptSwipe"];
export type TestedFunctions = Schemas["TestedFunctions"];
export type TrashItem = Schemas["TrashItem"];
export type Turn = Schemas["Turn"];
export type VarType = Schemas["VarType"];
export type Variable = Schemas["Variable"];
export type VariableWrite = Schemas["VariableWrite"];
