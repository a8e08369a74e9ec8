// What a call can fail with.

import type { components } from "./schema.js";

/** The codes of the API. */
export type ErrorCode = components["schemas"]["ErrorCode"];

/** What an answer said beside its data. */
export interface ResponseInfo {
  status: number;
  /** The version of the subject, for `ifMatch`. */
  etag: string | null;
  /** The item of the trash that holds what was deleted. */
  trashId: string | null;
  requestId: string | null;
  /** Whether the server sent a stored answer because the request had been sent before. */
  replayed: boolean;
}

interface ErrorParts {
  status: number;
  code: string;
  message: string;
  details: unknown;
  requestId: string | null;
  retryAfterMs: number | null;
}

/** The server refused or failed. `code` keeps its spelling, `message` is for people. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly code: ErrorCode | (string & {});
  readonly details: unknown;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  constructor(parts: ErrorParts) {
    super(parts.message);
    this.status = parts.status;
    this.code = parts.code;
    this.details = parts.details;
    this.requestId = parts.requestId;
    this.retryAfterMs = parts.retryAfterMs;
  }
}

/** 400: the request is malformed; `details` names the fields. */
export class ValidationError extends ApiError {
  override name = "ValidationError";
}
/** 401: a key is needed, or the key is not valid. */
export class AuthError extends ApiError {
  override name = "AuthError";
}
/** 403: the key has not the role, or the host or origin is not allowed. */
export class ForbiddenError extends ApiError {
  override name = "ForbiddenError";
}
/** 404: it does not exist, or it belongs to another account. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}
/** 409: the state of the conversation does not allow it, or another request was faster. */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}
/** 410: the events after this position have been purged. */
export class GoneError extends ApiError {
  override name = "GoneError";
}
/** 412: the subject has another version than `ifMatch` names. */
export class PreconditionFailedError extends ApiError {
  override name = "PreconditionFailedError";
}
/** 422: the request is well formed and cannot be done. */
export class UnprocessableError extends ApiError {
  override name = "UnprocessableError";
}
/** 429: a quota is used up. */
export class QuotaError extends ApiError {
  override name = "QuotaError";
}
/** 5xx: the server failed. */
export class ServerError extends ApiError {
  override name = "ServerError";
}

/** No answer: the server cannot be reached, or the connection broke. */
export class ConnectionError extends Error {
  override name = "ConnectionError";
}

const CLASSES: Record<number, typeof ApiError> = {
  400: ValidationError,
  401: AuthError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  412: PreconditionFailedError,
  422: UnprocessableError,
  429: QuotaError,
};

/** Makes the error of an answer. A proxy may have answered with something that is not JSON. */
export function errorOf(status: number, headers: Headers, text: string): ApiError {
  let content: { code?: string; message?: string; details?: unknown } = {};
  try {
    content = (JSON.parse(text) as { error?: typeof content }).error ?? {};
  } catch {
    // The status says enough.
  }
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const parts = {
    status,
    code: content.code ?? "http_error",
    message: content.message ?? `the server answered ${status}`,
    details: content.details,
    requestId: headers.get("x-request-id"),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
  };
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : ApiError);
  return new Class(parts);
}

/** Whether an error is one of the server's with this code. */
export function hasCode(error: unknown, code: ErrorCode): error is ApiError {
  return error instanceof ApiError && error.code === code;
}
