/**
 * `simulator`: the provider is invented and in this process. `live`: a real one. `rehearsal`: the
 * rules of live, against a simulator in another process.
 */
export const MODES = ['simulator', 'live', 'rehearsal'] as const;
export type Mode = (typeof MODES)[number];

/** Whether the rules for real identities hold. */
export function isLive(mode: Mode): boolean {
  return mode !== 'simulator';
}
