import type { PlantedBug } from '../support/planted-bug.ts';

const RAW = 'service/test/threats/operator.test.ts';
const CHROMIUM = 'service/test/threats/operator-browser.test.ts';
const ACTS = 'service/test/threats/operator-acts.test.ts';
const PEOPLE = 'service/test/threats/operator-people.test.ts';
const STOLEN = 'threat 133: the session of an operator is stolen';
const FOREIGN = 'threat 134: another site acts with the session of an operator';
const ROLES = 'threat 135: an operator does what their role may not';
const KNOWN = 'threat 136: the pages tell who is known';

function bug(name: string, file: string, [from, to]: [string, string], test: PlantedBug['test']) {
  return { name, edits: [{ file: `service/src/operator/${file}`, from, to }], test };
}

/** Bugs in the pages for operators. */
export const OPERATOR_BUGS: readonly PlantedBug[] = [
  bug(
    'a link for operators signs in everybody who redeems it at once',
    'sessions.ts',
    [
      'if (!(await store.consumeOpenid({ model: LINK, id: link }, now))) {',
      'if (!(await store.consumeOpenid({ model: LINK, id: link }, now)) && now < 0) {',
    ],
    { file: RAW, name: `${STOLEN} > a link signs in one of eight who redeem it at the same time` },
  ),
  bug(
    'a session of an operator that nobody uses goes on',
    'sessions.ts',
    ['if (idleAt <= now) return null;', ''],
    { file: RAW, name: `${STOLEN} > a session that is not used ends, and nothing brings it back` },
  ),
  bug(
    'a sign-out of an operator leaves the session',
    'sessions.ts',
    [
      'await store.removeOpenid({ model: SESSION, id: cookie });\n  await store.removeOpenid({ model: SEEN, id: cookie });\n',
      '',
    ],
    { file: RAW, name: `${STOLEN} > whoever has the cookie has nothing after the sign-out` },
  ),
  bug(
    'a form for operators is taken from any page',
    'visit.ts',
    ["if (!isOwn) throw new OperatorRefusal('wrong_form');", ''],
    {
      file: CHROMIUM,
      name: `${FOREIGN}, in Chromium > a page of 127.0.0.1 posts its own forms`,
    },
  ),
  bug(
    'a form for operators needs no token of its session',
    'visit.ts',
    ["'form_token'))) {", "'form_token')) && request.method === 'GET') {"],
    { file: RAW, name: `${FOREIGN} > a form is taken from a page of the session alone` },
  ),
  bug(
    'the pages for operators answer every host',
    'operator-listener.ts',
    ['if (isKnownHost(request)) done();', 'if (hosts.size > 0) done();'],
    { file: RAW, name: `${FOREIGN} > a name that another site points here is not answered` },
  ),
  bug(
    'a viewer does what an administrator may',
    'visit.ts',
    ["if (!mayActAs(visit.session.role, role)) throw new OperatorRefusal('not_allowed');", ''],
    { file: RAW, name: `${ROLES} > what is for administrators is for nobody else` },
  ),
  bug(
    'an operator is signed in by a return of another browser',
    'sign-in.ts',
    [
      'function checksOf(secret: string) {',
      "function checksOf(_secret: string) {\n  const secret = '';",
    ],
    {
      file: PEOPLE,
      name: 'threat 133: the sign-in of an operator is taken over > a return in another browser, without its cookie or for the second time signs in nobody',
    },
  ),
  bug(
    'an operator keeps a role that was taken away',
    'visit.ts',
    ['const role = roleOf(people, proven);', 'const { role } = session;'],
    {
      file: PEOPLE,
      name: 'threat 135: a role is read anew at each request > is that of the file now, and none without one',
    },
  ),
  bug(
    'a session of another provider has the role of the same subject',
    'visit.ts',
    ['return from === issuer ?', 'return from !== undefined && issuer !== undefined ?'],
    {
      file: 'service/src/operator/visit.test.ts',
      name: 'a session of before a change of the settings > of another provider has no role, whatever its subject',
    },
  ),
  bug(
    'an operator of support exports a user',
    'person.ts',
    ["export: 'admin',", "export: 'support',"],
    {
      file: ACTS,
      name: 'threat 135: an operator does what their role may not, to a person > a support does ["disable","revoke"] and nothing else',
    },
  ),
  bug(
    'an operator acts without a reason',
    'person.ts',
    [
      "if (reason === null) return showPerson(context, visit, 'wrongReason');\n  const store = storeOf(context.store, session, reason);",
      'const store = storeOf(context.store, session, reason);',
    ],
    {
      file: ACTS,
      name: 'threat 135: an operator does what their role may not, to a person > without a reason that may be kept nothing is done',
    },
  ),
  bug(
    'the audit log does not say which operator it was',
    'sessions.ts',
    ['return store.by({ actor, reason });', 'return [actor, reason, store][2] as Store;'],
    {
      file: ACTS,
      name: 'threat 135: an operator does what their role may not, to a person > what is done holds at once, and its row has the operator and the reason',
    },
  ),
  bug(
    'a viewer sees names',
    'person.ts',
    ["const seesNames = mayActAs(frame.role, 'support');", 'const seesNames = true;'],
    { file: RAW, name: `${ROLES} > a viewer sees no name and no number, and searches by none` },
  ),
  bug(
    'an operator may search by any number of numbers',
    'search.ts',
    ['if (!counted.allowed) {', 'if (counted.remaining < 0) {'],
    {
      file: RAW,
      name: `${KNOWN} > each search by number is a row without the number, and there are so many in a minute`,
    },
  ),
  bug(
    'without a session an unknown address is told from a known one',
    'operator-listener.ts',
    [
      '(error: unknown) => faultOf(context, error),\n  );\n  return',
      "(error: unknown) => (error instanceof Error ? 'unknown' : 'broken'),\n  );\n  return",
    ],
    { file: RAW, name: `${KNOWN} > without a session every address is answered alike` },
  ),
  bug(
    'a number in a filter stays in the address',
    'visit.ts',
    ["throw new OperatorRefusal('number_in_address');", ''],
    { file: RAW, name: `${KNOWN} > a number is taken in no address, and no link has it` },
  ),
  bug(
    'what is no request for the pages can be framed',
    'operator-listener.ts',
    ['clientErrorHandler: refuseBroken,', ''],
    {
      file: RAW,
      name: 'threat 137: a page of an operator is framed > what is no request has the headers of a page',
    },
  ),
  bug(
    'a viewer sees the reasons',
    'audit.ts',
    ['const reason = seesReasons ? row.reason : null;', 'const { reason } = row;'],
    { file: RAW, name: `${ROLES} > a viewer sees no reason, which may name a person` },
  ),
  bug(
    'a cookie of another port locks an operator out',
    'visit.ts',
    [
      'if (session !== null) found.push({ cookie, session });',
      'if (session !== null && cookies.length === 1) found.push({ cookie, session });',
    ],
    { file: RAW, name: `${STOLEN} > a cookie that another port has set ends no session` },
  ),
  bug(
    'a form over http is taken where the pages are over https',
    'visit.ts',
    [
      "const own = [url, `${isEncrypted(url) ? 'https' : 'http'}://${host}`];",
      'const own = [url, `http://${host}`, `https://${host}`];',
    ],
    {
      file: 'service/src/operator/visit.test.ts',
      name: 'where the pages are over https, a form of the same host over http is of another site',
    },
  ),
  bug(
    'a session that was begun while all ended goes on',
    'sessions.ts',
    [
      'const session = await writeSession({ store, random }, person, now);\n  if (!(await store.consumeOpenid({ model: LINK, id: link }, now))) {',
      'if (!(await store.consumeOpenid({ model: LINK, id: link }, now))) return null;\n  const session = await writeSession({ store, random }, person, now);\n  if (now < 0) {',
    ],
    {
      file: 'service/src/operator/sessions.test.ts',
      name: 'what ends all sessions while a link is redeemed ends its session: after its use',
    },
  ),
  ...[
    [
      'two pages of the log are read at once',
      'const found = this.#last.then(() => scan(goesOn));',
      'const found = scan(goesOn);',
      'one scan runs at a time, and another one where the first has failed',
    ],
    [
      'a session holds as many pages as it likes',
      'if (count >= MOST_OF_SESSION)',
      'if (count < 0)',
      'a session has one that runs and one that waits, and others theirs',
    ],
    [
      'a page of the log is read in one turn',
      'await this.#pause();',
      '',
      'other work has its turn before each step, and nothing is read for somebody who has gone',
    ],
  ].map(([name = '', from = '', to = '', test = '']) =>
    bug(name, 'scans.ts', [from, to], { file: 'service/src/operator/scans.test.ts', name: test }),
  ),
  {
    name: 'pages can be framed by every site',
    edits: [
      {
        file: 'pages/src/content-security-policy.ts',
        from: `    "frame-ancestors 'none'",\n`,
        to: '',
      },
    ],
    test: {
      file: CHROMIUM,
      name: 'threat 137: a page of an operator is framed and clicked through > no page of the listener is shown in a frame',
    },
  },
  {
    name: 'the name of a device is markup for operators',
    edits: [
      {
        file: 'pages/src/operator/person.ts',
        from: "h('bdi', null, token.deviceName ?? '—')",
        to: "h('bdi', { dangerouslySetInnerHTML: { __html: token.deviceName ?? '—' } })",
      },
    ],
    test: {
      file: CHROMIUM,
      name: 'threat 138: a name is markup > names of people and devices are text on every page',
    },
  },
];
