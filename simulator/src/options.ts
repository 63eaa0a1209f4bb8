import type { Engine } from './engine/engine.ts';
import type { Timer } from './platform.ts';

/** What the provider's gateway asks of every caller, in the headers APP-ID and APP-KEY. */
export interface Credentials {
  readonly appId: string;
  readonly appKey: string;
}

export interface ProviderOptions {
  readonly engine: Engine;
  readonly timer: Timer;
  /** Without them, every caller is let through. */
  readonly credentials?: Credentials | null;
}

/** Who may use the control API. */
export interface ControlAccess {
  /** The origin that the simulator is reached at. */
  readonly publicUrl: string;
  /** More host names that may stand in the Host header. */
  readonly allowedHosts?: readonly string[];
  /** Asked of every caller when set. */
  readonly token?: string | null;
}

export interface ControlOptions {
  readonly engine: Engine;
  readonly control: ControlAccess;
}

export interface SimulatorOptions extends ProviderOptions, ControlOptions {
  /** Begins with a slash and ends without one; empty for a provider at the root. */
  readonly providerPrefix?: string;
}
