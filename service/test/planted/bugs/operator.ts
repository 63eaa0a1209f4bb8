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
      'if (person === null || !(await store.consumeOpenid({ model: LINK, id: link }, now))) return null;',
      'if (person === null) return null;\n  await store.consumeOpenid({ model: LINK, id: link }, now);',
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
    ["if (!isFormToken(session, textMember(request.body, 'form_token'))) {", 'if (false) {'],
    { file: RAW, name: `${FOREIGN} > a form is taken from a page of the session alone` },
  ),
  bug(
    'the pages for operators answer every host',
    'operator-listener.ts',
    ["if (hosts.has(nameOf(request.headers.host ?? ''))) done();", 'if (hosts.size > 0) done();'],
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
    [
      'const role = roleIn(people.roles(), proven.subject, proven.groups);',
      'const { role } = session;',
    ],
    {
      file: PEOPLE,
      name: 'threat 135: a role is read anew at each request > is that of the file now, and none without one',
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
    ["if (!allowed) throw new OperatorRefusal('too_many');", ''],
    {
      file: RAW,
      name: `${KNOWN} > each search by number is a row without the number, and there are so many in a minute`,
    },
  ),
  bug(
    'without a session an unknown address is told from a known one',
    'operator-listener.ts',
    ['await visitOf(context, request, reply);\n', ''],
    { file: RAW, name: `${KNOWN} > without a session every address is answered alike` },
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
