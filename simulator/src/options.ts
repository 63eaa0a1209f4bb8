import type { Courier } from './callbacks/courier.ts';
import type { Engine } from './engine/engine.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { TokenSigner } from './keys/token-signer.ts';
import type { Post, Timer } from './platform.ts';

/** What the provider's gateway asks of every caller: `APP-ID` and `APP-KEY`, in either spelling. */
export interface Credentials {
  readonly appId: string;
  readonly appKey: string;
}

/** The application that signs people in here: the only one whose addresses are ever used. */
export interface RelyingParty {
  /** Where the browser goes back to, with `state`. */
  readonly returnUrl: string;
  /** Reports disagree on how: by a redirect, or by a form with a button. */
  readonly returnMethod: 'GET' | 'POST';
  /** Origins that it sends the browser on to. A browser asks for them, see the README. */
  readonly onwardOrigins?: readonly string[];
  /** Where the signed results of pushes go. */
  readonly pushUrl: string;
}

/** What the parts of area B share; made once for each mount of the HTTP face. */
export interface Desk {
  readonly engine: Engine;
  readonly timer: Timer;
  readonly keys: KeyRing;
  readonly signer: TokenSigner;
  /** Null without a relying party. */
  readonly courier: Courier | null;
  readonly relyingParty: RelyingParty | null;
}

/** The status of an accepted push. Reports disagree; callers should take any 2xx. */
export type AcceptedStatus = 200 | 201;

export interface ProviderOptions extends Desk {
  /** Without them, every caller is let through. */
  readonly credentials: Credentials | null;
  readonly pushStatus: AcceptedStatus;
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
  readonly keys: KeyRing;
  readonly control: ControlAccess;
}

export interface SimulatorOptions {
  readonly engine: Engine;
  readonly timer: Timer;
  readonly control: ControlAccess;
  /** Without them, every caller is let through. */
  readonly credentials?: Credentials | null;
  /** 200 where nothing is said. */
  readonly pushStatus?: AcceptedStatus;
  /** Begins with a slash and ends without one; empty for a provider at the root. */
  readonly providerPrefix?: string;
  /** Without one, keys are made when they are asked for first, and end with the process. */
  readonly keys?: KeyRing;
  /** Without one, nothing is sent anywhere and the sign-in page ends on a page of its own. */
  readonly relyingParty?: RelyingParty | null;
  /** How to reach the relying party. */
  readonly post?: Post;
}
