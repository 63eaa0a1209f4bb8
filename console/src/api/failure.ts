/** What an error's body has of it. */
type Said = { readonly message?: unknown; readonly code?: unknown; readonly violations?: unknown };

/** What is wrong with one member of what was sent: a JSON pointer, and what is allowed there. */
export type Violation = { readonly pointer: string; readonly message: string };

/** A call that the control API refused, or that did not reach it. */
export class ApiFailure extends Error {
  /** Null: there was no answer. */
  readonly status: number | null;
  /** Of the catalogue, for example `prompt.ended`. */
  readonly code: string | null;
  /** Empty where the simulator names no members. */
  readonly violations: readonly Violation[];

  constructor(status: number | null, { message, code, violations }: Said) {
    super(typeof message === 'string' ? message : status === null ? '' : `HTTP ${status}`);
    this.name = 'ApiFailure';
    this.status = status;
    this.code = typeof code === 'string' ? code : null;
    this.violations = Array.isArray(violations) ? (violations as readonly Violation[]) : [];
  }

  static async of(answer: Response): Promise<ApiFailure> {
    const said = (await answer.json().catch(() => ({}))) as Said;
    return new ApiFailure(answer.status, said);
  }
}
