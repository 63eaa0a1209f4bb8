/** The messages between the benchmark and a process that holds streams open. */

export interface HolderJob {
  readonly kind: 'start' | 'open' | 'count';
  readonly port: number;
  readonly attempts: number;
  /** An address of the loopback network, from which the streams come. */
  readonly localAddress: string;
}

export type HolderAnswer =
  { readonly open: number; readonly ended: number } | { readonly error: string };
