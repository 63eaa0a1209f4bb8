import type { PlantedBug } from '../support/planted-bug.ts';

const FINISH_RETURN = 'service/src/attempt/browser/finish-return.flow.ts';
const REDIRECT = 'service/test/threats/redirect.test.ts';
const LAUNCH = 'service/test/threats/launch.test.ts';
const LANGUAGE = 'service/test/threats/launch-language.test.ts';

/** Bugs in the checks of browsers, redirects and expiries. */
export const BROWSER_BUGS: readonly PlantedBug[] = [
  {
    name: 'the cookie of the browser is not compared: any value passes',
    edits: [
      {
        file: FINISH_RETURN,
        from: 'return bound !== null && cookie !== null && sameDigest(bound, presented);',
        to: 'return bound !== null && cookie !== null;',
      },
    ],
    test: {
      file: REDIRECT,
      name: 'threat 5: login CSRF > refuses the value of another cookie',
    },
  },
  {
    name: 'cookie compared only after the exchange',
    edits: [
      {
        file: FINISH_RETURN,
        from: `  if (found === null || !isSameBrowser(found, back)) {
    throw await refuseStranger(services, found, back, now);
  }
  const { attemptId } = found.record;
  await back.admit(attemptId);
  requireReturnTarget(services, found.record);
  if (!isOpen(found.record, now)) return returnWithError(found, now);
  // A state can be exchanged only once, so two simultaneous returns of the same browser take turns.
  return services.attemptLock.run(attemptId, () => finishUnderLock(services, back, now));`,
        to: `  if (found === null) throw await refuseStranger(services, found, back, now);
  const { attemptId } = found.record;
  const returned = await services.attemptLock.run(attemptId, () => finishUnderLock(services, back, now));
  if (!isSameBrowser(found, back)) throw await refuseStranger(services, found, back, now);
  return returned;`,
      },
    ],
    test: {
      file: REDIRECT,
      name: 'threat 5: login CSRF > refuses a right state in a browser without the cookie, and asks nobody',
    },
  },
  {
    name: 'a second browser takes the launch over',
    edits: [
      {
        file: 'service/src/attempt/browser/launch.flow.ts',
        from: 'if (!bound) {',
        to: 'if (services === null) {',
      },
    ],
    test: {
      file: REDIRECT,
      name: 'threat 4: a relayed authorization link > is launched in one browser only',
    },
  },
  {
    name: 'another language opens another session also after the launch',
    edits: [
      {
        file: 'service/src/attempt/browser/launch.flow.ts',
        from: 'return !isLaunched && locale !== null',
        to: 'return (!isLaunched || isLaunched) && locale !== null',
      },
    ],
    test: {
      file: LANGUAGE,
      name: 'threat 61: sessions at the provider that launch pages could open > a sign-in launched in the language of the attempt keeps its session',
    },
  },
  {
    name: 'two presses in another language at once open two sessions',
    edits: [
      {
        file: 'service/src/attempt/browser/launch.flow.ts',
        from: 'return services.attemptLock.run(attemptId, () => launchInLanguage(services, press, now));',
        to: 'return attemptId === null ? services.attemptLock.run(attemptId, () => launchInLanguage(services, press, now)) : launchInLanguage(services, press, now);',
      },
    ],
    test: {
      file: 'service/src/attempt/browser/launch.flow.test.ts',
      name: 'two presses at once open one session, and both lead to it',
    },
  },
  {
    name: 'return without single flight',
    edits: [
      {
        file: 'service/src/platform/coordination/memory-coordination.ts',
        from: 'const own = line.last.then(work);',
        to: 'const own = work();',
      },
    ],
    test: {
      file: REDIRECT,
      name: 'the return of the browser > is exchanged once, however often it comes at once, and one code is good',
    },
  },
  {
    name: 'authorization_url from the Host header',
    edits: [
      {
        file: 'service/src/attempt/start/start.route.ts',
        from: 'return { data: presentStarted(started, baseUrl(context)) };',
        to: `const { pathname } = new URL(baseUrl(context));
      return { data: presentStarted(started, \`http://\${request.headers.host}\${pathname}\`) };`,
      },
    ],
    test: {
      file: 'service/test/api/start.test.ts',
      name: 'POST /start by redirect > takes the origin of authorization_url from PUBLIC_URL, whatever the request says',
    },
  },
  {
    name: 'return address taken from the request when it begins right',
    edits: [
      {
        file: 'service/src/attempt/browser/return-address.ts',
        from: 'if (returnAddresses.includes(wanted)) return wanted;',
        to: 'if (returnAddresses.some((own) => wanted.startsWith(own))) return wanted;',
      },
    ],
    test: {
      file: 'service/test/threats/redirection.test.ts',
      name: 'threat 26: open redirects > as the return address: "https://bank.example.test/return/"',
    },
  },
  {
    name: 'a launch form without the header Origin is taken',
    edits: [
      {
        file: 'service/src/request/body/forms.ts',
        from: "if (origin !== settings.publicUrl || site !== 'same-origin') {",
        to: "if ((origin ?? settings.publicUrl) !== settings.publicUrl || site !== 'same-origin') {",
      },
    ],
    test: {
      file: LAUNCH,
      name: 'threat 61: a launch that is no press of our own button > without Origin is refused, and binds nothing',
    },
  },
  {
    name: 'a launch form with Origin null is taken',
    edits: [
      {
        file: 'service/src/attempt/browser/launch-form.route.ts',
        from: 'onRequest: requireOwnPage(context),',
        to: 'onRequest: refuseCrossSite(context),',
      },
      {
        file: 'service/src/attempt/browser/launch-form.route.ts',
        from: 'import { requireOwnPage, routeWithForm }',
        to: 'import { refuseCrossSite, routeWithForm }',
      },
    ],
    test: {
      file: LAUNCH,
      name: 'threat 61: a launch that is no press of our own button > with Origin null is refused, and binds nothing',
    },
  },
  {
    name: 'white space around the name of a cookie is ignored',
    edits: [
      {
        file: 'service/src/request/caller/browser-cookie.ts',
        from: "(index > 0 && pair.startsWith(' ') ? pair.slice(1) : pair)",
        to: '(index >= 0 ? pair.trim() : pair)',
      },
    ],
    test: {
      file: 'service/test/threats/browser-cookie.test.ts',
      name: 'threat 58: a cookie whose name is nearly that of the browser’s own > a byte before the name, later in the header',
    },
  },
  {
    name: 'a strange return is counted before it has its effect',
    edits: [
      {
        file: FINISH_RETURN,
        from: `  const isMismatch = found !== null && isOpen(found.record, now);
`,
        to: `  const isMismatch = found !== null && isOpen(found.record, now);
  await back.admitStranger();
`,
      },
    ],
    test: {
      file: 'service/test/threats/strange-returns.test.ts',
      name: 'threat 60: what a strange return is kept from > 1000 garbage returns from the victim’s address do not keep the victim’s from its effect',
    },
  },
  {
    name: 'authenticating does not ask whether the attempt is spoiled',
    edits: [
      {
        file: 'service/src/store/sqlite/statements.generated.ts',
        from: `"provider_transactions"."spoiled_at" is not null)) and not exists (select "users"."id" from
"users" where "users"."identity_digest" = ? and "users"."sign_ins_ended_at" >=
"attempts"."created_at") returning`,
        to: `"provider_transactions"."spoiled_at" < 0)) and not exists (select "users"."id" from
"users" where "users"."identity_digest" = ? and "users"."sign_ins_ended_at" >=
"attempts"."created_at") returning`,
      },
      {
        file: 'service/src/store/sqlite/statements.generated.ts',
        from: `"provider_transactions"."spoiled_at" is not null)) and not exists (select "users"."id" from
"users" where "users"."identity_digest" = ? and "users"."sign_ins_ended_at" >=
"attempts"."created_at") on conflict`,
        to: `"provider_transactions"."spoiled_at" < 0)) and not exists (select "users"."id" from
"users" where "users"."identity_digest" = ? and "users"."sign_ins_ended_at" >=
"attempts"."created_at") on conflict`,
      },
    ],
    test: {
      file: 'service/test/threats/strange-returns.test.ts',
      name: 'threat 60: what a strange return is kept from > it waits for no exchange that is under way, and that one comes to nothing',
    },
  },
  {
    name: 'any browser is led to the application when a sign-in has ended',
    edits: [
      {
        file: FINISH_RETURN,
        from: '  if (found === null || !isSameBrowser(found, back)) {',
        to: `  if (found !== null && !isOpen(found.record, now)) return returnWithError(found, now);
  if (found === null || !isSameBrowser(found, back)) {`,
      },
    ],
    test: {
      file: 'service/test/live/led-back.test.ts',
      name: 'a sign-in that comes to nothing leads back to the application > refused: another browser is shown the one page for all',
    },
  },
  {
    name: 'POST /callback looks the attempt up before it refuses by the mode',
    edits: [
      {
        file: 'service/src/attempt/browser/provider-return.route.ts',
        from: `    onRequest: async ({ headers }) => {
      const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
      if (type !== 'application/x-www-form-urlencoded') throw new Refusal('simulator.disabled');
    },
    handler: async (request, reply) => {`,
        to: `    handler: async (request, reply) => {
      const { body, headers } = request;
      const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
      if (type !== 'application/x-www-form-urlencoded') {
        const found = parseAttemptId(textMember(body, 'state'));
        if (found === null || (await context.services.store.findAttempt(found)) === null) {
          throw new Refusal('attempt.not_found');
        }
        throw new Refusal('simulator.disabled');
      }`,
      },
      {
        file: 'service/src/attempt/browser/provider-return.route.ts',
        from: "import { Refusal } from '../../errors/refusal.ts';",
        to: `import { parseAttemptId } from '../../values/ids.ts';
import { Refusal } from '../../errors/refusal.ts';`,
      },
    ],
    test: {
      file: 'service/test/threats/phone.test.ts',
      name: 'threat 2: completion by POST /callback > is refused in the same bytes before anything is looked at',
    },
  },
  {
    name: 'a form that leads to another origin is answered with a redirect',
    edits: [
      {
        file: 'service/src/request/answer/send-page.ts',
        from: "if (request.method !== 'POST') return",
        to: "if (request.method !== '') return",
      },
    ],
    test: {
      file: REDIRECT,
      name: 'threat 4: a relayed authorization link > leads to the provider’s own address, not a character changed, and says where to',
    },
  },
  {
    name: 'a second press leads any browser to the application',
    edits: [
      {
        file: 'service/src/attempt/browser/return-again.flow.ts',
        from: 'return isSameBrowser(found, visit) ? found : null;',
        to: 'return isSameBrowser(found, visit) || found !== null ? found : null;',
      },
    ],
    test: {
      file: 'service/test/threats/second-press.test.ts',
      name: 'threat 103: a second press > in another browser finds nothing, whatever has become of the sign-in',
    },
  },
  {
    name: 'pages that others may frame',
    edits: [
      {
        file: 'pages/src/content-security-policy.ts',
        from: `"frame-ancestors 'none'",`,
        to: "'frame-ancestors *',",
      },
    ],
    test: {
      file: 'service/test/api/sign-in.test.ts',
      name: 'GET /callback?state= > lets its form go to itself only',
    },
  },
];
