/** One thing that `miftah doctor` has looked at. */
export interface Finding {
  /** What was looked at: `settings`, `data.folder`, `provider.keys` and so on. */
  readonly check: string;
  /** `fault`: the service does not work, or is not safe. `warning`: it may be meant like this. */
  readonly severity: 'ok' | 'warning' | 'fault';
  readonly what: string;
  /** What to do about it; null where nothing has to be done. */
  readonly remedy: string | null;
}

export function ok(check: string, what: string): Finding {
  return { check, severity: 'ok', what, remedy: null };
}

export function warning(check: string, what: string, remedy: string): Finding {
  return { check, severity: 'warning', what, remedy };
}

export function fault(check: string, what: string, remedy: string): Finding {
  return { check, severity: 'fault', what, remedy };
}

/** A part of a sentence of this program, as a sentence. */
export function asSentence(text: string): string {
  const end = /[.?!]$/.test(text) ? '' : '.';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;
}

/** The remedy of a fault that nothing more is known of. */
export const LOOK_AGAIN = 'correct what it names, and look again';
