import { MiftahError, type ApiToken, type Attempt, type Miftah } from '@miftah/client';
import type { AddDriveCommand } from '../instance/drive-context.ts';
import { DriveFailure, interrupted, misused } from '../instance/failure.ts';
import { findPrompt, nationalIdIn } from '../instance/find-prompt.ts';
import { within } from '../instance/pause.ts';
import { peopleOf, personNamed } from '../instance/people-named.ts';
import { listenAt, readPort, returnAdvice } from '../instance/return-listener.ts';
import { showProgress } from '../instance/progress.ts';
import { byOpenid, byPush } from './openid.ts';
import { decide } from './prompts.ts';
import { rowOf, textOf } from '../instance/rows.ts';
import { withClient } from '../instance/service-client.ts';
import { onRun, driveCommand, type Session } from '../instance/session.ts';
import { SECOND_MS } from '../../values/time.ts';
import { listOf, type Column } from './table.ts';

/** The prompt of an attempt is there when the start is answered, or a moment later. */
const PROMPT_LIMIT_MS = 5 * SECOND_MS;
/** The browser comes back at once when the attempt has ended. */
const ARRIVAL_LIMIT_MS = 5 * SECOND_MS;
/** Of a cancel at Ctrl-C. */
const CANCEL_LIMIT_MS = 2 * SECOND_MS;

interface LoginOptions {
  /** True where the flag has no number. */
  readonly phone?: string | true;
  readonly browser?: true;
  /** True where the flag has no scopes. */
  readonly openid?: string | true;
  readonly client?: string;
  readonly approve?: true;
  readonly person?: string;
  readonly port?: number;
  readonly locale: string;
}

/** `miftah login`: a whole sign-in, to the token. */
export const loginCommand: AddDriveCommand = (program, context) => {
  const login = driveCommand(
    program,
    'login',
    'signs in, by phone, browser or OpenID, to the token and the user',
  )
    // Brackets, so that the error of a missing number can say what to write.
    .option('--phone [national_id]', 'by phone, as who has this number; - reads it')
    .option('--browser', 'by browser: prints the address, and opens it where it can')
    .option(
      '--openid [scopes]',
      'as an OpenID client, to the claims of these scopes; with --phone by CIBA',
    )
    .option('--client <id>', 'with --openid: another client than demo, its secret in MIFTAH_KEY')
    .option('--approve', 'does the part of the person too')
    .option('--person <id>', 'with --approve: who approves, see `miftah people`')
    .option('--port <number>', 'which the browser comes back to, by default a free one', readPort)
    .option('--locale <tag>', 'the language of the sign-in, ar or en', 'en');
  onRun(login, context, async (session, options: LoginOptions) => {
    if (options.browser === true && options.phone !== undefined) {
      throw misused('Say either --phone or --browser.');
    }
    if (options.phone === true) throw misused(PHONE_NEEDS);
    if (options.port !== undefined && !waitsForBrowser(options)) throw misused(PORT_WAITS);
    if (options.openid !== undefined) {
      return signInByOpenid(session, { ...options, scopes: options.openid });
    }
    if (options.client !== undefined) throw misused('--client is for --openid.');
    if (options.person !== undefined && options.approve !== true) throw misused(PERSON_APPROVES);
    await withClient(session, async (client) => {
      if (options.approve === true) await requireApproval(session, options);
      const sign = options.browser === true ? byBrowser : byPhone;
      await sign(session, client, options);
    });
  });
};

const waitsForBrowser = ({ phone, browser, openid, approve }: LoginOptions) =>
  approve === undefined && phone === undefined && (browser ?? openid) !== undefined;

async function signInByOpenid(
  session: Session,
  options: LoginOptions & { readonly scopes: string | true },
): Promise<void> {
  const { phone, approve, person } = options;
  if (phone === undefined) {
    if ((approve ?? person) !== undefined) throw misused(IN_BROWSER);
    return byOpenid(session, options);
  }
  if (person !== undefined) throw misused(PERSON_OF_PUSH);
  const nationalId = await numberOf(session, phone);
  if (approve === true) await requireApproval(session, options);
  const approved = async (random: string) => {
    if (approve !== true) return;
    const prompt = await findPrompt(session, nationalId, PROMPT_LIMIT_MS, random);
    await decide(session, textOf(prompt, 'id'), { decision: 'approve' });
  };
  return byPush(session, { ...options, nationalId, approve: approved });
}

/** Before anything is started: a push that nobody can approve here would be sent to a person. */
async function requireApproval(session: Session, options: LoginOptions): Promise<void> {
  const { browser, person } = options;
  await peopleOf(session, 1).catch((error: unknown) => {
    throw withAdvice(error, APPROVE_ADVICE);
  });
  if (person !== undefined) await personNamed(session, person, 'Name as --person');
  if (browser !== true || (await completesAttempts(session))) return;
  throw new DriveFailure({
    code: 'command.needs_browser',
    message: 'In strict mode, as in live mode, the result comes back with a browser only.',
    remedy: 'Leave out --approve, and approve in the browser; or leave out --browser: by phone.',
  });
}

/** Only plain simulator mode has an operation that does it, as its OpenAPI document says. */
async function completesAttempts({ context, instance }: Session): Promise<boolean> {
  const { stop: signal } = context;
  const answer = await context
    .fetch(`${instance.origin}/openapi.json`, { signal })
    .catch(() => null);
  const described: unknown = await answer?.json().catch(() => null);
  const callback = rowOf(rowOf(rowOf(described)['paths'])['/api/v1/callback']);
  return callback['get'] === undefined || callback['post'] !== undefined;
}

async function byPhone(session: Session, client: Miftah, options: LoginOptions): Promise<void> {
  const nationalId = await numberOf(session, options.phone);
  const attempt = await client.start({ locale: options.locale, nationalId });
  const what = `Choose ${attempt.random} on the phone.`;
  await redeemOrCancel({ session, attempt, options, what });
}

async function byBrowser(session: Session, client: Miftah, options: LoginOptions): Promise<void> {
  const { locale, approve, port } = options;
  if (approve === true) {
    const attempt = await client.start({ locale });
    const what = 'Approving in the place of the person.';
    return redeemOrCancel({ session, attempt, options, what });
  }
  const listener = await listenAt(session, port);
  try {
    const start = client.start({ locale, returnAddress: listener.address });
    const attempt = await start.catch((error: unknown) => {
      throw withReturnAdvice(error, port);
    });
    const arrived = listener.returnOf(attempt.id);
    session.note(`Sign in at ${attempt.authorizationUrl}`);
    session.context.openBrowser(attempt.authorizationUrl);
    const what = 'Waiting for the browser.';
    await redeemOrCancel({ session, attempt, options, what, arrived });
  } finally {
    listener.close();
  }
}

function withReturnAdvice(error: unknown, port: number | undefined): unknown {
  if (!(error instanceof MiftahError)) return error;
  const { code, detail: message, requestId, violations = [] } = error;
  if (violations.every(({ pointer }) => pointer !== '/return_address')) return error;
  const remedy = returnAdvice(port, { list: 'return_addresses', instead: BY_PHONE });
  return new DriveFailure({ code, message, remedy, requestId });
}

interface StartedSignIn {
  readonly session: Session;
  readonly attempt: Attempt;
  readonly options: LoginOptions;
  /** What is waited for, as the terminal shows it. */
  readonly what: string;
  /** The query of the browser that comes back; undefined where none does. */
  readonly arrived?: Promise<URLSearchParams>;
}

/** From a started attempt to the result of the command. At Ctrl-C the attempt is cancelled. */
async function redeemOrCancel(started: StartedSignIn): Promise<void> {
  try {
    await waitAndRedeem(started);
  } catch (error) {
    const { session, attempt } = started;
    if (!session.context.stop.aborted) throw error;
    throw interrupted(await cancelSoon(attempt, session));
  }
}

async function waitAndRedeem({
  session,
  attempt,
  options,
  what,
  arrived,
}: StartedSignIn): Promise<void> {
  const { stop } = session.context;
  const { expiresAt, randomExpiresAt = expiresAt } = attempt;
  const progress = await showProgress(session, randomExpiresAt.getTime(), what);
  try {
    await (options.approve === true
      ? approveAs(session, attempt, options.person)
      : attempt.waitForResult({ signal: stop }));
  } finally {
    progress.end();
  }
  const completionCode = arrived && (await codeFrom(session, arrived));
  // Of an attempt that was refused or has expired, the service says here why there is no token.
  const redeemed = attempt.issueToken(completionCode === undefined ? {} : { completionCode });
  const issued = await redeemed.catch(async (error: unknown) => {
    throw await withReason(session, attempt, error);
  });
  noteAnother(session, options, issued);
  printIssued(session, attempt, issued);
}

/** In plain simulator mode the default person signs in for a number that nobody has. */
function noteAnother(session: Session, { phone, person }: LoginOptions, { user }: ApiToken): void {
  if (typeof phone !== 'string' || phone === '-' || person !== undefined) return;
  if (user.nationalId !== nationalIdIn(phone)) {
    session.note(
      'Nobody has this number: another person has signed in, as the simulator does then.',
    );
  }
}

/** Why a sign-in has failed is told to no application. The simulator tells it. */
async function withReason(session: Session, { id }: Attempt, error: unknown): Promise<unknown> {
  if (!(error instanceof MiftahError) || error.code !== 'attempt.failed') return error;
  const told = await session.control.call('readAttempt', { id }).catch(() => null);
  const reason = told?.attempt.reason ?? error.code;
  if (reason === error.code) return error;
  const { code, detail: message, requestId } = error;
  const remedy =
    reason === 'provider.mismatch' ? MISMATCH : `\`miftah attempt ${id}\` shows what has happened.`;
  return new DriveFailure({ code, message, remedy, facts: [`reason: ${reason}`], requestId });
}

/**
 * Nobody waits for the attempt any more. The command ends in any case, and soon.
 * @returns what has become of the attempt
 */
async function cancelSoon(attempt: Attempt, { context: { timer } }: Session): Promise<string> {
  const late = Promise.withResolvers<string>();
  const forget = timer.after(CANCEL_LIMIT_MS, () => late.resolve(NOT_CANCELLED));
  const cancelled = attempt.cancel().then(
    () => 'The sign-in was cancelled.',
    () => NOT_CANCELLED,
  );
  const outcome = await Promise.race([cancelled, late.promise]);
  forget();
  return outcome;
}

/** Approves, and waits for the result. The person may decide by themselves: an outcome was chosen. */
async function approveAs(
  session: Session,
  attempt: Attempt,
  person: string | undefined,
): Promise<void> {
  const over = new AbortController();
  const stop = AbortSignal.any([session.context.stop, over.signal]);
  const result = attempt.waitForResult({ signal: stop });
  const looking = { ...session, context: { ...session.context, stop } };
  const approved = findPrompt(looking, attempt.id, PROMPT_LIMIT_MS).then((prompt) =>
    decide(session, textOf(prompt, 'id'), { decision: 'approve', person }),
  );
  try {
    await Promise.race([result, approved.then(() => result)]);
  } finally {
    over.abort();
  }
}

/** Undefined where the browser brings none: not every mode needs it. @throws DriveFailure at Ctrl-C */
async function codeFrom(
  session: Session,
  arrived: Promise<URLSearchParams>,
): Promise<string | undefined> {
  const query = await within(session, arrived, ARRIVAL_LIMIT_MS);
  return query?.get('completion_code') ?? undefined;
}

const ISSUED: readonly Column[] = [
  { title: 'token', of: 'token' },
  { title: 'expires', of: 'expires_at' },
  { title: 'user', of: 'id' },
  { title: 'national id', of: 'national_id' },
  { title: 'name', of: 'english_name' },
  { title: 'Arabic name', of: 'arabic_name' },
];

/** Prints the result with the member names of the API. The token is a secret: no other command prints one. */
function printIssued(session: Session, attempt: Attempt, { token, expiresAt, user }: ApiToken) {
  // As the API writes a time.
  const expires_at = expiresAt.toISOString().replace(/\.\d{3}Z$/, '+00:00');
  const issued = { token, expires_at };
  const person = Object.fromEntries(
    Object.entries(user).map(([name, value]) => [wireNameOf(name), value as unknown]),
  );
  session.print({ attempt_id: attempt.id, ...issued, user: person }, () =>
    listOf({ ...issued, ...person }, ISSUED, session.context.out),
  );
}

const wireNameOf = (name: string) =>
  name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

const NOT_CANCELLED = 'The service did not take the cancel of the sign-in, which may go on there.';

/** @throws DriveFailure */
async function numberOf(session: Session, phone: LoginOptions['phone']): Promise<string> {
  const { ask } = session.context;
  const given = phone === '-' ? ((await ask('National id: ')) ?? '').trim() : phone;
  if (given === undefined || given === true) return defaultPerson(session);
  const nationalId = nationalIdIn(given);
  if (nationalId !== null && !nationalId.startsWith('0')) return nationalId;
  throw misused('A national id is ten digits, the first not zero.');
}

async function defaultPerson(session: Session): Promise<string> {
  const [person = {}] = await peopleOf(session, 1).catch((error: unknown) => {
    throw withAdvice(error, PERSON_ADVICE, NO_DEFAULT_PERSON);
  });
  return textOf(person, 'national_id');
}

/**
 * `--phone $ID` with an empty variable arrives without a number. To take the default person then would
 * sign in somebody else.
 */
const PHONE_NEEDS =
  'Write a national id after --phone, or - to type it. Without --phone the default person signs in.';
const PERSON_APPROVES =
  '--person is who approves, and goes with --approve. Who signs in is said by --phone.';
const PORT_WAITS =
  '--port is where a browser comes back to: it goes with --browser or --openid, without --phone and ' +
  '--approve.';
const BY_PHONE = 'Or sign in with --phone.';
const MISMATCH =
  'Another person has approved than the one whom --phone names. Who signs in is said by --phone: ' +
  'leave --person out, or name the same one.';
const IN_BROWSER =
  'With --openid the person decides in the browser, which --approve can’t do: add --phone with a ' +
  'national id, or leave --approve and --person out.';
const PERSON_OF_PUSH = 'With --openid, --phone says who approves: leave --person out.';
const NO_DEFAULT_PERSON =
  'A live service has no default person, so the command has to say who signs in.';
const PERSON_ADVICE =
  'Add --phone with the national id, --phone - to ' +
  'type it, or --browser. The people of a rehearsal are those of its simulator.';
const APPROVE_ADVICE =
  'Leave out --approve: the person has to approve. In a rehearsal `miftah approve` does it, with ' +
  'the address of the simulator in --url.';

/** A sign-in works without a simulator, so to name another instance is not what helps. */
function withAdvice(error: unknown, remedy: string, said?: string): unknown {
  if (!(error instanceof DriveFailure) || error.code !== 'command.no_simulator') return error;
  return new DriveFailure({ code: error.code, message: said ?? error.message, remedy });
}
