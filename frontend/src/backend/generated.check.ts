/**
 * Compared by tsc only, never run: the records and methods written by hand are those that are generated from the Go code.
 * A text that Go calls a string may be narrower here.
 */
import type * as bots from "../../wailsjs/go/api/Bots";
import type * as providers from "../../wailsjs/go/api/Providers";
import type * as rescue from "../../wailsjs/go/api/Rescue";
import type * as sessions from "../../wailsjs/go/api/Sessions";
import type * as settings from "../../wailsjs/go/api/Settings";
import type * as system from "../../wailsjs/go/api/System";
import type * as workspace from "../../wailsjs/go/api/Workspace";
import type * as app from "../../wailsjs/go/main/App";
import type { wire as generated } from "../../wailsjs/go/models";
import type { backend } from "./client";
import type * as hand from "./types";

/** A generated class without its methods, all the way down. */
type Plain<T> = T extends (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: Plain<T[K]> }
    : T;

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** The names of the fields that are always there, and of those that may be missing. */
type Present<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];
type Agrees<Hand, Generated> =
  Hand extends Plain<Generated>
    ? Same<keyof Hand, keyof Plain<Generated>> extends true
      ? Same<Present<Hand>, Present<Plain<Generated>>>
      : false
    : false;

type Check<T extends true> = T;
type Record_<Name extends keyof typeof generated & keyof Hand> = Agrees<
  Hand[Name],
  InstanceType<(typeof generated)[Name]>
>;

interface Hand {
  Accepted: hand.Accepted;
  BackupFile: hand.BackupFile;
  Bot: hand.Bot;
  BotConfig: hand.BotConfig;
  BotDefaults: hand.BotDefaults;
  BotDeletion: hand.BotDeletion;
  BotDraft: hand.BotDraft;
  BotList: hand.BotList;
  BotRevision: hand.BotRevision;
  BotUpdate: hand.BotUpdate;
  Capabilities: hand.Capabilities;
  CapabilityInfo: hand.CapabilityInfo;
  Detected: hand.Detected;
  DoctorCheck: hand.DoctorCheck;
  DoctorReport: hand.DoctorReport;
  Event: hand.SessionEvent;
  EventPage: hand.EventPage;
  FileMatch: hand.FileMatch;
  Folder: hand.Folder;
  FolderListing: hand.FolderListing;
  HistoryRequest: hand.HistoryRequest;
  Live: hand.Live;
  Message: hand.Message;
  Model: hand.Model;
  Notice: hand.Notice;
  OpenRequest: hand.OpenRequest;
  OpenSession: hand.OpenSession;
  Outcome: hand.Outcome;
  Prices: hand.Prices;
  ProviderChoice: hand.ProviderChoice;
  ProviderDraft: hand.ProviderDraft;
  ProviderInstance: hand.ProviderInstance;
  ProviderKind: hand.ProviderKind;
  ProviderList: hand.ProviderList;
  ProviderTest: hand.ProviderTest;
  QueuedMessage: hand.QueuedMessage;
  Rejection: hand.Rejection;
  RescueResult: hand.RescueResult;
  RescueStatus: hand.RescueStatus;
  RetryNotice: hand.RetryNotice;
  Session: hand.Session;
  SessionDraft: hand.SessionDraft;
  SessionPage: hand.SessionPage;
  SessionQuery: hand.SessionQuery;
  Settings: hand.Settings;
  Step: hand.Step;
  Submission: hand.Submission;
  SystemInfo: hand.SystemInfo;
  ToolInfo: hand.ToolInfo;
  ToolResult: hand.ToolResult;
  Usage: hand.Usage;
  WorkspaceInfo: hand.WorkspaceInfo;
}

/** Names of records that do not agree; must be none. */
type Disagreeing = { [Name in keyof Hand]: Record_<Name> extends true ? never : Name }[keyof Hand];
export type RecordsAgree = Check<Same<Disagreeing, never>>;

type Methods<Service extends keyof typeof backend, Generated> = Same<keyof (typeof backend)[Service], keyof Generated>;
export type MethodsAgree = [
  Check<Methods<"Bots", typeof bots>>,
  Check<Methods<"Sessions", typeof sessions>>,
  Check<Methods<"Providers", typeof providers>>,
  Check<Methods<"Workspace", typeof workspace>>,
  Check<Methods<"Settings", typeof settings>>,
  Check<Methods<"System", typeof system>>,
  Check<Methods<"Rescue", typeof rescue>>,
];

/** What the desktop window adds, as `desktop` calls it. */
export type AppAgrees = [
  Check<Same<Parameters<typeof app.ChooseFolder>, [string]>>,
  Check<Same<Awaited<ReturnType<typeof app.ChooseFolder>>, string>>,
  Check<Same<Parameters<typeof app.OpenURL>, [string]>>,
];
