/**
 * The records of backend/wire, field by field. Times are UTC milliseconds. Lists are never null here: the client turns a
 * missing list into an empty one.
 */

export type Tint = "blue" | "teal" | "green" | "yellow" | "orange" | "red" | "purple";
export const TINTS: readonly Tint[] = ["blue", "teal", "green", "yellow", "orange", "red", "purple"];

export interface Bot {
  id: string;
  handle: string;
  name: string;
  description: string;
  tint: string;
  builtin: boolean;
  created_at: number;
  updated_at: number;
  config: BotRevision;
}

export interface BotRevision {
  revision: number;
  config: BotConfig;
}

export interface BotConfig {
  provider: ProviderChoice;
  system_prompt: string;
  capabilities: Capabilities;
  approval: string;
  delivery: string;
  max_model_steps: number;
}

export interface ProviderChoice {
  instance: string;
  model: string;
  reasoning_effort?: string;
}

export interface Capabilities {
  enabled: string[];
  settings?: Record<string, string>;
}

export interface BotDraft {
  name: string;
  description: string;
  tint?: string;
  handle?: string;
  config?: BotConfig;
}

export interface BotUpdate {
  id: string;
  expected_revision: number;
  name?: string;
  description?: string;
  tint?: string;
  handle?: string;
  config?: BotConfig;
}

export interface BotList {
  revision: number;
  bots: Bot[];
}

export interface BotDeletion {
  bots: Bot[];
  session_ids: string[];
}

export interface BotDefaults {
  revision: number;
  config: BotConfig;
}

export interface CapabilityInfo {
  id: string;
  name: string;
  description: string;
  tools: ToolInfo[];
}

export interface ToolInfo {
  name: string;
  description: string;
  read_only: boolean;
}

export type EventKind =
  | "turn.started"
  | "message.queued"
  | "message.steered"
  | "queue.changed"
  | "step.completed"
  | "tool.completed"
  | "turn.completed"
  | "notice";

export interface SessionEvent {
  seq: number;
  at: number;
  kind: EventKind;
  turn_id?: string;
  message?: Message;
  step?: Step;
  tool?: ToolResult;
  outcome?: Outcome;
  queue?: QueuedMessage[];
  notice?: Notice;
}

export interface Step {
  index: number;
  attempt?: number;
  model?: string;
  blocks: Block[];
  finish?: string;
  usage?: Usage;
}

export type BlockKind = "text" | "reasoning" | "tool_call";

export interface Block {
  kind: BlockKind;
  text?: string;
  call_id?: string;
  name?: string;
  args?: string;
  duration_ms?: number;
}

export interface ToolResult {
  call_id: string;
  name: string;
  status: "ok" | "error" | "interrupted";
  output: string;
  duration_ms?: number;
}

export interface Outcome {
  status: "completed" | "aborted" | "failed";
  error?: Rejection;
  reason?: string;
  usage: Usage;
}

export interface Notice {
  code: string;
  text: string;
}

export interface Usage {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  reasoning?: number;
  cost_micros: number;
  context?: number;
}

export interface Live {
  turn_id: string;
  step: number;
  attempt: number;
  n: number;
  blocks: Block[];
  running?: Block[];
  retry?: RetryNotice;
}

export type FrameKind = "attempt" | "delta" | "tool" | "retry";

export interface Frame {
  n: number;
  kind: FrameKind;
  turn_id: string;
  step: number;
  attempt: number;
  deltas?: Delta[];
  tool?: Block;
  retry?: RetryNotice;
}

export interface Delta {
  index: number;
  kind?: BlockKind;
  call_id?: string;
  name?: string;
  text?: string;
}

export interface RetryNotice {
  code: string;
  message: string;
  until: number;
  attempt: number;
}

export type EnvelopeKind = "event" | "frame" | "catalog" | "resync";

export interface Envelope {
  kind: EnvelopeKind;
  session_id?: string;
  event?: SessionEvent;
  frame?: Frame;
  change?: Change;
}

export interface Change {
  revision: number;
  removed?: string;
  bot?: Bot;
  session?: Session;
  provider?: ProviderInstance;
  settings?: Settings;
  defaults?: BotDefaults;
}

export interface ProviderKind {
  id: string;
  name: string;
  protocol: string;
  base_url: string;
  needs_key: boolean;
  local: boolean;
  key_url?: string;
  key_env?: string;
  description?: string;
}

export interface ProviderInstance {
  id: string;
  kind: string;
  name: string;
  base_url: string;
  has_key: boolean;
  key_hint?: string;
  created_at: number;
  updated_at: number;
}

export interface ProviderList {
  revision: number;
  providers: ProviderInstance[];
}

export interface ProviderDraft {
  id?: string;
  kind: string;
  name: string;
  base_url?: string;
  key?: string;
}

export interface ProviderTest {
  ok: boolean;
  code?: string;
  message: string;
  models: number;
  latency_ms: number;
}

export interface Model {
  id: string;
  name: string;
  context_window: number;
  max_output: number;
  reasoning: boolean;
  efforts?: string[];
  images: boolean;
  tools: boolean;
  prices?: Prices;
  source: string;
}

export interface Prices {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
}

export interface Detected {
  kind: string;
  name: string;
  base_url?: string;
  source: string;
  env_var?: string;
  key_hint?: string;
  models?: string[];
}

export interface Rejection {
  code: string;
  message: string;
  fatal: boolean;
}

export type Activity = "idle" | "running" | "awaiting_approval";

export interface Session {
  id: string;
  bot_id: string;
  title: string;
  workspace: string;
  pinned: boolean;
  created_at: number;
  updated_at: number;
  deleted_at?: number;
  last_seq: number;
  activity: string;
  last_outcome?: string;
  last_message?: string;
  queued: number;
  totals: Usage;
}

export interface SessionQuery {
  bot_id?: string;
  workspace?: string;
  text?: string;
  trash?: boolean;
  cursor?: string;
  limit?: number;
}

export interface SessionPage {
  revision: number;
  sessions: Session[];
  next?: string;
  total: number;
}

export interface SessionDraft {
  bot_id: string;
  workspace?: string;
}

export interface OpenRequest {
  id: string;
  after?: number;
  turns?: number;
}

export interface OpenSession {
  session: Session;
  page: EventPage;
  queue: QueuedMessage[];
  live?: Live;
}

export interface HistoryRequest {
  id: string;
  before: number;
  turns?: number;
}

export interface EventPage {
  events: SessionEvent[];
  before: number;
  last_seq: number;
}

export interface QueuedMessage {
  id: string;
  message: Message;
  at: number;
}

export interface Submission {
  session_id: string;
  id: string;
  message?: Message;
  interrupt?: Interrupt;
  queue_edit?: QueueEdit;
  queue_remove?: QueueRemove;
  queue_move?: QueueMove;
}

export interface Message {
  id?: string;
  author?: string;
  text: string;
  attachments?: string[];
  requested_delivery?: string;
  target_turn_id?: string;
}

export interface Interrupt {
  turn_id: string;
}

export interface QueueEdit {
  message_id: string;
  text: string;
}

export interface QueueRemove {
  message_id: string;
}

export interface QueueMove {
  message_id: string;
  before?: string;
}

export interface Accepted {
  submission_id: string;
  delivery?: string;
  turn_id?: string;
  seq?: number;
}

export interface Settings {
  revision: number;
  theme: string;
  language: string;
  send_key: string;
  font_size: number;
  reduced_motion: boolean;
  default_folder: string;
  setup_done: boolean;
  default_bot_id: string;
  title_model_auto: boolean;
}

export interface SystemInfo {
  version: string;
  shell: string;
  state_dir: string;
  os: string;
  key_store: string;
  home: string;
}

export interface DoctorReport {
  at: number;
  checks: DoctorCheck[];
  text: string;
}

export interface DoctorCheck {
  id: string;
  name: string;
  status: "ok" | "warning" | "error" | "skipped";
  message: string;
  next?: string;
}

export interface Folder {
  name: string;
  path: string;
}

export interface FolderListing {
  path: string;
  parent?: string;
  folders: Folder[];
  truncated: boolean;
}

export interface FileMatch {
  path: string;
  dir: boolean;
}

export interface WorkspaceInfo {
  path: string;
  name: string;
  branch?: string;
  exists: boolean;
}

export interface RescueStatus {
  needed: boolean;
  reason?: Rejection;
  backups: BackupFile[];
}

export interface BackupFile {
  path: string;
  reason: string;
  at: number;
  bytes: number;
}

export interface RescueResult {
  kept_as: string;
  rows: number;
  lost: number;
}
