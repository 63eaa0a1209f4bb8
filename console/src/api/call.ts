import type { ControlAnswers, ControlOperation } from '@miftah/contract/control';
import {
  callControl,
  ControlError,
  controlHeaders,
  type ControlAccess,
  type ControlCall,
} from '@miftah/contract/control-client';
import { signal } from '@preact/signals';
import { page } from '../page.ts';
import { keptToken } from '../platform/kept.ts';
import { enterByCode, type Entered } from './enter.ts';

/** Whether the control API waits for its token: not, for the first, or since the last was wrong. */
export const tokenWanted = signal<'no' | 'first' | 'again'>('no');
/** What became of the code of the page's address, for whoever is asked for the token. */
export const entered = signal<Entered>('none');

let typed: (() => void) | null = null;
let asking: Promise<void> | null = null;

/** Takes the token that somebody has typed; the calls that waited for it are sent again. */
export function giveToken(token: string): void {
  keptToken.write(token);
  tokenWanted.value = 'no';
  asking = null;
  typed?.();
}

function askForToken(): Promise<void> {
  tokenWanted.value = keptToken.read() === null ? 'first' : 'again';
  asking ??= new Promise((resolve) => (typed = resolve));
  return asking;
}

/**
 * Sends a request in the scope of the page. While the control API asks for its token, it waits until
 * somebody has typed one.
 * @throws ControlError
 */
async function sending<Answer>(once: (access: ControlAccess) => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const access = await proof();
    try {
      return await once(access);
    } catch (error) {
      await tokenAfter(error, access.token);
    }
  }
}

/** Who calls: the person at this tab, with the token where there is one. */
export async function proof(): Promise<ControlAccess> {
  entered.value = await enterByCode();
  return { origin: '', scope: page.scope, token: keptToken.read() };
}

/**
 * Resolves when there is another token than that of the call that was refused so.
 * @throws ControlError where no token is wanted
 */
export async function tokenAfter(error: unknown, token: string | null): Promise<void> {
  if (!(error instanceof ControlError) || error.status !== 401) throw error;
  // Another call may have been given the token meanwhile.
  if (keptToken.read() === token) await askForToken();
}

/** Calls an operation of the control API. @returns the member `data` of the answer @throws ControlError */
export function call<Id extends ControlOperation>(
  operation: Id,
  sent: ControlCall = {},
): Promise<ControlAnswers[Id]> {
  return sending((access) => callControl(access, operation, sent));
}

/** Reads what has no `data`, such as a file. @param path below the origin @throws ControlError */
export function read(path: string): Promise<Response> {
  return sending(async (access) => {
    const answer = await fetch(path, { headers: controlHeaders(access) }).catch(() => null);
    if (answer?.ok === true) return answer;
    throw await refusalOf(path, answer);
  });
}

export async function readJson<Type>(path: string): Promise<Type> {
  return (await (await read(path)).json()) as Type;
}

/** @param answer null: there was none */
export async function refusalOf(path: string, answer: Response | null): Promise<ControlError> {
  return new ControlError(path, answer, await answer?.json().catch(() => null));
}
