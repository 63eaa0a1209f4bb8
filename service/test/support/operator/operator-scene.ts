import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_SECRET } from '../../../src/account/client.ts';
import { systemClock } from '../../../src/platform/runtime.ts';
import type { Role } from '../../../src/values/operator-role.ts';
import { share, temporaryFolder, type AtEnd } from '../at-end.ts';
import { recordReceived } from '../canaries/record-exchange.ts';
import { openLive, type OpenedScene } from '../live/live-service.ts';
import { PersonBrowser, type Visit } from '../live/person-browser.ts';
import { signedIn } from '../live/steps.ts';
import type { Changes } from '../provider/token-forge.ts';
import { runMiftah } from '../programs/operator.ts';
import { findFreePort } from '../programs/service-process.ts';
import { openListening } from '../service/listening-service.ts';

/** A live service with pages for operators, under a clock that begins with the machine's. */
export interface OperatorScene extends OpenedScene {
  /** The origin of the pages. */
  readonly pages: string;
}

export function shareOperatorScene(): () => OperatorScene {
  return share((atEnd) => openOperatorScene(atEnd));
}

/** @param more settings of the pages */
export async function openOperatorScene(
  atEnd: AtEnd,
  more: Readonly<Record<string, string>> = {},
): Promise<OperatorScene> {
  const port = await findFreePort();
  const settings = { OPERATOR_PORT: String(port), ...more };
  // The command that makes links has the clock of the machine.
  const scene = await openLive({ settings, startsAt: systemClock.now() }, atEnd);
  return { ...scene, pages: `http://127.0.0.1:${port}` };
}

/** An address that signs in, as the command prints it. */
export async function makeLink(scene: OperatorScene, role: Role): Promise<string> {
  // An earlier test may have moved the clock, and the command has that of the machine.
  scene.clock.advance(systemClock.now() - scene.clock.now());
  const { settings } = scene;
  const { out, err } = await runMiftah(['operator', 'link', '--role', role], settings);
  if (!out.startsWith('http')) throw new Error(err);
  return out.trim();
}

/** Redeems a link as its page does. */
export async function redeem(link: string, browser = new PersonBrowser()): Promise<Visit> {
  return browser.press(await browser.open(link));
}

/** Somebody in a session. */
export class Operator {
  readonly browser: PersonBrowser;
  readonly #origin: string;

  constructor(origin: string, browser: PersonBrowser) {
    this.#origin = origin;
    this.browser = browser;
  }

  open(path: string): Promise<Visit> {
    return this.browser.open(this.#origin + path);
  }

  /** Posts a form with the token of the session. */
  async post(path: string, fields: Record<string, string> = {}): Promise<Visit> {
    const formToken = tokenIn(await this.open('/operator'));
    return this.browser.submit(this.#origin + path, { form_token: formToken, ...fields });
  }
}

/** What a page of a session posts with its forms; '' for another page. */
export function tokenIn({ html }: Visit): string {
  return /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

export async function signInAs(scene: OperatorScene, role: Role): Promise<Operator> {
  const browser = new PersonBrowser();
  const { status } = await redeem(await makeLink(scene, role), browser);
  if (status !== 303) throw new Error(`no session: ${status}`);
  return new Operator(scene.pages, browser);
}

/** Somebody signs in by browser, and their application gets a token. @returns their user id */
export async function addPerson(
  scene: OperatorScene,
  claims: Changes,
  deviceName = 'a phone',
): Promise<{ readonly userId: number; readonly attemptId: string }> {
  const started = await scene.bank.startRedirect();
  const code = await signedIn(scene, started, claims);
  const answer = await scene.bank.redeem(started, {
    completion_code: code,
    device_name: deviceName,
  });
  recordReceived({}, JSON.stringify(answer));
  const user = answer.data['user'] as { readonly id: number };
  return { userId: user.id, attemptId: started.attempt_id };
}

/** The same where operators sign in at an OpenID provider: another Miftah, with invented people. */
export interface PeopleScene extends OperatorScene {
  readonly issuer: string;
  /** Writes the file that says who has which role. */
  give(roles: object): void;
}

export function sharePeopleScene(): () => PeopleScene {
  return share(async (atEnd) => {
    const provider = await openListening({ settings: { OPENID: 'on' } }, atEnd);
    const rolesFile = join(temporaryFolder('operators', atEnd), 'roles.json');
    const give = (roles: object) => writeFileSync(rolesFile, JSON.stringify(roles));
    give({});
    const { origin: issuer } = provider;
    const scene = await openOperatorScene(atEnd, {
      OPERATOR_ISSUER: issuer,
      OPERATOR_CLIENT_ID: 'demo-web',
      OPERATOR_CLIENT_SECRET: DEMO_SECRET,
      OPERATOR_ROLES_FILE: rolesFile,
    });
    return { ...scene, issuer, give };
  });
}

/** Somebody signs in at the provider. @returns the page to which that leads, of these pages */
export async function signInAtProvider(
  { pages }: PeopleScene,
  browser: PersonBrowser,
  person = 'amal',
  locale = 'ar',
): Promise<Visit> {
  return browser.open(await returnOf(pages, browser, person, locale));
}

/** The address at which the provider sends the browser back. */
export async function returnOf(
  pages: string,
  browser: PersonBrowser,
  person = 'amal',
  locale = 'ar',
): Promise<URL> {
  const begun = await browser.open(`${pages}/operator/sign-in?locale=${locale}`);
  const page = await browser.follow(begun);
  const signIn = await browser.follow(await browser.press(page));
  let visit = await browser.press(signIn, { decision: 'approve', person });
  while (visit.location !== null && visit.location.origin !== pages) {
    visit = await browser.open(visit.location);
  }
  if (visit.location === null) throw new Error(`no way back: ${visit.status}`);
  return visit.location;
}
