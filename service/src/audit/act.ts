import type { Branded } from '../values/brand.ts';
import { mayBeSecret } from '../values/secret.ts';

/** An account of the machine. */
export interface Account {
  /** Null on a system without such numbers, and in a user namespace, where they prove nothing. */
  readonly uid: number | null;
  /** Null where the machine does not say it, as in a container with a user of its own. */
  readonly name: string | null;
}

/**
 * Who does what the audit log tells. Nothing that a person chooses for themselves is in it: a command
 * has the account of its process, and, where that is another one, the account that has logged in.
 */
export type Actor =
  | { readonly kind: 'command'; readonly account: Account; readonly login: Account | null }
  /** @param subject of the provider that signs operators in */
  | { readonly kind: 'operator'; readonly subject: string };

/** An actor as the log has it: `uid:998(miftah),login:1001(amal)`, `operator:SUBJECT`. */
export type ActorText = Branded<string, 'ActorText'>;

/** Why something is done, in the words of whoever does it. */
export type Reason = Branded<string, 'Reason'>;

/** Who does something, and why, as its rows of the audit log say it. */
export interface Act {
  readonly actor: ActorText;
  readonly reason: Reason | null;
}

/** Other names are left out: they would not be told from the signs between them. */
const NAME = String.raw`[\w.@$\\+-]{1,64}`;
const ACCOUNT_NAME = new RegExp(`^${NAME}$`);
/** The number `-` is that of an account whose number nothing proves. */
const COMMAND = new RegExp(
  String.raw`^(uid):(\d{1,10}|-)(?:\((${NAME})\))?(?:,(login):(\d{1,10})(?:\((${NAME})\))?)?$`,
);
/** As long as a subject of OpenID may be, of printable ASCII as that is. */
const OPERATOR = /^operator:([\u0020-\u007e]{1,255})$/;

/** @throws Error for a subject that is none */
export function textOfActor(actor: Actor): ActorText {
  const text = parseActor(
    actor.kind === 'operator'
      ? `operator:${actor.subject}`
      : [textOf('uid', actor.account), ...(actor.login ? [textOf('login', actor.login)] : [])].join(
          ',',
        ),
  );
  if (text === null) throw new Error('an operator has no valid subject');
  return text;
}

function textOf(kind: 'uid' | 'login', { uid, name }: Account): string {
  const shown = name !== null && ACCOUNT_NAME.test(name) ? `(${name})` : '';
  return `${kind}:${uid ?? '-'}${shown}`;
}

export function parseActor(text: string): ActorText | null {
  return COMMAND.test(text) || OPERATOR.test(text) ? (text as ActorText) : null;
}

/** One of the accounts that an actor has. */
export interface ActorPart {
  /** `uid:998`, `login:1001` or `operator:SUBJECT`. */
  readonly id: string;
  readonly name: string | null;
}

/** The person comes first: the account that has logged in, before that of the process. */
export function partsOf(actor: ActorText): readonly ActorPart[] {
  const [, , uid, name = null, login, loginUid, loginName = null] = COMMAND.exec(actor) ?? [];
  if (uid === undefined) return [{ id: actor, name: null }];
  const process = { id: `uid:${uid}`, name };
  if (login === undefined) return [process];
  return [{ id: `login:${loginUid}`, name: loginName }, process];
}

const LONGEST_REASON = 200;
/** What would change how the rest of a line is shown. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Ten digits, as a national id has, with no letter between them. A tatweel (Lm) is a sign here. */
const NUMBER = /\p{N}(?:[^\p{N}\p{Lu}\p{Ll}\p{Lt}\p{Lo}]*\p{N}){9}/u;
/** Dates stand beside other numbers in a reason. */
const DATE = /(?<!\p{N})20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\p{N})/gu;

/** What is wrong with a text that is no reason. It does not repeat the text. */
export const REASON_FORM =
  `A reason is one line of 1 to ${LONGEST_REASON} characters without a national id (ten digits ` +
  'without a word between them), an e-mail address or a secret: it stays in the audit log for good.';

/**
 * Null for what is not to be kept: rows of the log never change, and outlive a person who is erased.
 * So what may name a person is refused, as far as a program can tell.
 */
export function parseReason(text: string): Reason | null {
  const reason = text.trim();
  if (reason.length === 0 || reason.length > LONGEST_REASON) return null;
  if (UNPRINTABLE.test(reason) || mayBeSecret(reason) || mayBeId(reason)) return null;
  return reason as Reason;
}

/** Digits of any script and form: NFKC makes plain ones of those in circles and of raised ones. */
function mayBeId(text: string): boolean {
  return NUMBER.test(text.normalize('NFKC').replaceAll(DATE, ' '));
}
