import type { Rejection } from "./types";

/** What every refused call throws. `code` decides what is shown; `message` is the backend's own sentence. */
export class RejectionError extends Error implements Rejection {
  readonly code: string;
  readonly fatal: boolean;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.name = "RejectionError";
    this.code = rejection.code;
    this.fatal = rejection.fatal;
  }
}

function shaped(value: unknown): Rejection | null {
  if (typeof value !== "object" || value === null) return null;
  const { code, message, fatal } = value as Partial<Rejection>;
  if (typeof code !== "string" || code === "") return null;
  return { code, message: typeof message === "string" ? message : "", fatal: fatal === true };
}

/** Shells reject with an object, its JSON text, an Error or a plain text; all become one RejectionError. */
export function toRejection(reason: unknown): RejectionError {
  if (reason instanceof RejectionError) return reason;
  const direct = shaped(reason);
  if (direct) return new RejectionError(direct);
  const text = reason instanceof Error ? reason.message : String(reason);
  try {
    const parsed = shaped(JSON.parse(text));
    if (parsed) return new RejectionError(parsed);
  } catch {
    // Not JSON: an ordinary message.
  }
  return new RejectionError({ code: "gateway_error", message: text, fatal: false });
}
