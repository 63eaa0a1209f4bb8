import type { PlantedBug } from '../support/planted-bug.ts';

const THREATS = 'service/test/threats/openid.test.ts';
const API = 'service/test/api/openid.test.ts';
const SIGN_IN = 'service/src/openid/sign-in.flow.ts';
const PROVIDER = 'service/src/openid/provider.ts';
const ASSERTION_RULES = 'service/src/openid/clients/assertions.ts';
const GRANT = 'service/src/openid/claims.ts';
const RECORDS = 'service/src/openid/records.ts';
const BETWEEN = 'service/test/threats/openid-between.test.ts';
const ASSERTIONS = 'service/test/threats/openid-assertions.test.ts';
const PHONE = 'service/test/threats/openid-phone.test.ts';
const PHONE_THREAT = 'threat 127: a sign-in on a phone that the application names';
const LOGOUT = 'service/src/openid/logout.ts';
const LOGOUTS = 'service/test/threats/openid-logout.test.ts';
const ABUSE = 'service/test/threats/openid-abuse.test.ts';

const STOPPED = 'threat 122: a person whom the operator has stopped';

const LEFT_RECORDS = {
  file: 'service/src/store/sql/stores/openid-ends.ts',
  from: 'step(sql.deleteOpenidOfUser, values)',
  to: '',
} as const;

/** Bugs of the OpenID Provider. */
export const OPENID_BUGS: readonly PlantedBug[] = [
  {
    name: 'openid: a refresh token is answered before its grant lasts as long',
    edits: [
      {
        file: RECORDS,
        from: 'if (isLasting) await orUnavailable(makeHeld(store));',
        to: '',
      },
    ],
    test: {
      file: 'service/test/api/openid-commits.test.ts',
      name: 'a sign-in writes > a token for later, and then that the grant lasts as long, and answers after both alone',
    },
  },
  {
    name: 'openid: of two returns at once the later one takes the sign-in away',
    edits: [
      {
        file: SIGN_IN,
        from: "return found !== null && attemptAt(found.attempt, at).state === 'redeemed';",
        to: 'return found === null;',
      },
    ],
    test: {
      file: BETWEEN,
      name: 'threat 119: the end of a sign-in > brought twelve times at once is one code, and not the refusal of the others',
    },
  },
  {
    name: 'openid: an error is shown by the page of the library, which asks for a font from elsewhere',
    edits: [{ file: PROVIDER, from: '    renderError: errorPage(context),\n', to: '' }],
    test: {
      file: 'service/test/e2e/openid-logout.test.ts',
      name: 'pages of errors and of logouts load nothing from elsewhere: no font, no style',
    },
  },
  {
    name: 'openid: a scope that was taken from a client stays with what it was given before',
    edits: [
      {
        file: GRANT,
        from: 'return all.filter((scope) => own.includes(scope)).join(',
        to: 'return all.filter((scope) => own.length + scope.length > 0).join(',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 121: a client > has of what it was given before only what the clients file still lets it have',
    },
  },
  {
    name: 'openid: a claim that was taken from a client stays with what it was given before',
    edits: [
      {
        file: GRANT,
        from: 'return all.filter((claim) => own.has(claim));',
        to: 'return own.size < 0 ? [] : all;',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 121: a client > has of what it was given before only what the clients file still lets it have',
    },
  },
  {
    name: 'openid: acr_values take the place of a level that the client insists on',
    edits: [
      { file: GRANT, from: 'Object.assign(oidc.params ?? {}, { acr_values: undefined });', to: '' },
    ],
    test: {
      file: API,
      name: 'a sign-in that brings no code > also where acr_values asks for a level that would do, or for the same',
    },
  },
  {
    name: 'openid: a request without the scope openid is taken',
    edits: [
      {
        file: PROVIDER,
        from: "if (!textMember(context.oidc.params, 'scope').split(' ').includes('openid')) {",
        to: "if (textMember(context.oidc.params, 'scope') === '') {",
      },
    ],
    test: {
      file: 'service/test/api/openid-refusals.test.ts',
      name: 'a pushed request without openid is refused too',
    },
  },
  {
    name: 'openid: a known client is called unknown, where its request is no form',
    edits: [
      {
        file: 'service/src/openid/refused.ts',
        from: 'if (owner !== null) return',
        to: 'if (owner === undefined) return',
      },
    ],
    test: {
      file: 'service/test/api/openid-refusals.test.ts',
      name: 'of a body that is no form the answer says so, and nothing of a client that is known',
    },
  },
  {
    name: 'openid: a hint of who should sign in is read before the sign-in only',
    edits: [
      {
        file: 'service/src/openid/policy.ts',
        from: "if (check.reason === 'id_token_hint') await checkIdTokenHint(context, () => undefined);",
        to: '',
      },
    ],
    test: {
      file: 'service/test/api/openid-pairwise.test.ts',
      name: 'everybody gets nobody else than the hint names',
    },
  },
  {
    name: 'openid: the end of a sign-in does not look at the cookie of the launch',
    edits: [
      {
        file: SIGN_IN,
        from: 'if (!(await isLauncher(launching, found.attempt, back.cookieOf))) {',
        to: 'if (back.completionCode === "no") {',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 119: a return without one of its cookies > is refused without that of the launch',
    },
  },
  {
    name: 'openid: the number of a push is shown to every browser',
    edits: [
      {
        file: SIGN_IN,
        from: "return sameDigest(tokenDigest, browserDigest(cookieOf(attemptId) ?? ''));",
        to: "return sameDigest(tokenDigest, browserDigest(cookieOf(attemptId) ?? '')) || true;",
      },
    ],
    test: {
      file: PHONE,
      name: `${PHONE_THREAT} > shows its number to no other browser, and gives it no code`,
    },
  },
  {
    name: 'openid: whoever writes an address has a push sent',
    edits: [
      {
        file: 'service/src/openid/phone.flow.ts',
        from: "if (!isPushed || client.clientAuthMethod === 'none') {",
        to: "if (client.clientAuthMethod === 'none') {",
      },
    ],
    test: { file: PHONE, name: `${PHONE_THREAT} > is refused for a hint in an address` },
  },
  {
    name: 'openid: a hint is looked at only where it has nothing but digits',
    edits: [
      {
        file: 'service/src/openid/phone.flow.ts',
        from: 'if (parseNationalId(hint) === null) {',
        to: 'if (!DIGITS.test(hint) || parseNationalId(hint) === null) {',
      },
    ],
    test: {
      file: PHONE,
      name: `${PHONE_THREAT} > is refused for a hint as people type it, in an address`,
    },
  },
  {
    name: 'openid: an attempt ends any interaction',
    edits: [
      {
        file: SIGN_IN,
        from: "if (linked !== attemptId) throw new Refusal('attempt.not_found');",
        to: 'void linked;',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 119: a return without one of its cookies > ends no other sign-in of the same browser',
    },
  },
  {
    name: 'openid: a grant is written that a revocation has just ended',
    edits: [
      {
        file: 'service/src/store/sqlite/statements.generated.ts',
        from: '"due_at" where (? is null or exists (select "known"',
        to: '"due_at" where (? is null or 1 or exists (select "known"',
      },
    ],
    test: {
      file: 'service/test/threats/openid-moments.test.ts',
      name: 'threat 122: a command in the very moment of a sign-in > by a push: revoke --user at Grant leaves no token',
    },
  },
  {
    name: 'openid: the page that answers a request has the policy of the library',
    edits: [
      {
        file: 'service/src/openid/interaction.route.ts',
        from: "    asked.set('content-security-policy', contentSecurityPolicy({ formAction: 'self', script }));\n",
        to: '    void script;\n',
      },
    ],
    test: {
      file: 'service/test/api/openid.test.ts',
      name: 'the page before the sign-in > is the answer to the request, as it is at its own address',
    },
  },
  {
    name: 'openid: a pushed request is answered with a page that can not be loaded anew',
    edits: [
      {
        file: 'service/src/openid/interaction.route.ts',
        from: 'asked.status === 303 && pushed === undefined;',
        to: 'asked.status === 303 && pushed !== null;',
      },
    ],
    test: {
      file: 'service/test/api/openid.test.ts',
      name: 'the page before the sign-in > is led to by a pushed request, whose address is good for a minute',
    },
  },
  {
    name: 'openid: a return whose attempt another one has used up is answered for the application',
    edits: [
      {
        file: 'service/src/openid/held-changes.ts',
        from: 'return refused ?? held[count]?.refused ?? null;',
        to: 'return held[count]?.refused ?? refused;',
      },
    ],
    test: {
      file: 'service/test/threats/openid-between.test.ts',
      name: 'threat 119: the end of a sign-in > brought twelve times at once is one code, and not the refusal of the others',
    },
  },
  {
    name: 'openid: a lost consumption of a code is no error',
    edits: [
      {
        file: 'service/src/openid/held-changes.ts',
        from: 'if (refused !== null) throw refused();',
        to: 'void refused;',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 120: a code > redeemed twelve times at once gives one token, and nothing breaks',
    },
  },
  {
    name: 'openid: single claims are granted beyond the scopes of the client',
    edits: [
      {
        file: GRANT,
        from: 'grant.addOIDCClaims(asked.filter((claim) => own.has(claim)));',
        to: 'grant.addOIDCClaims(own.size < 0 ? [] : asked);',
      },
      // The same is looked at again whenever it is used.
      {
        file: GRANT,
        from: 'return all.filter((claim) => own.has(claim));',
        to: 'return own.size < 0 ? [] : all;',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 121: a client > gets no claim by the claims parameter that its scopes would not give',
    },
  },
  {
    name: 'openid: a disabled person keeps what they were given',
    edits: [
      {
        file: PROVIDER,
        from: 'if (user === null || user.disabledAt !== null) return undefined;',
        to: 'if (user === null) return undefined;',
      },
      LEFT_RECORDS,
    ],
    test: {
      file: THREATS,
      name: 'threat 122: a person whom the operator has stopped > by disabling them: no token, no claims, no new sign-in, and no 500',
    },
  },
  {
    name: 'openid: what a disabled person was given is good again when they are enabled',
    edits: [LEFT_RECORDS],
    test: {
      file: THREATS,
      name: `${STOPPED} > by disabling them: no token, no claims, no new sign-in, and no 500`,
    },
  },
  {
    name: 'openid: a refresh token can be used for ever',
    edits: [
      { file: PROVIDER, from: 'rotateRefreshToken: true,', to: 'rotateRefreshToken: false,' },
    ],
    test: {
      file: THREATS,
      name: 'threat 124: a refresh token > used twice ends all that was given with it, and the log says so',
    },
  },
  {
    name: 'openid: a grant whose token was used twice does not end',
    edits: [
      {
        file: 'service/src/openid/records.ts',
        from: 'store.removeOpenidGrant(grant, clock.now())',
        to: "store.removeOpenidGrant(grant === '' ? grant : '-', clock.now())",
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 124: a refresh token > used twice ends all that was given with it, and the log says so',
    },
  },
  {
    name: 'openid: a client is told of the tokens of others',
    edits: [
      {
        file: PROVIDER,
        from: 'clientId === client.clientId &&',
        to: "clientId !== '' &&",
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 125: a token in the hands of another client > tells it nothing, and it can end nothing',
    },
  },
  {
    name: 'openid: a client ends what others were given',
    edits: [
      {
        file: PROVIDER,
        from: 'if (clientId === client.clientId) return true;',
        to: "if (clientId !== '' && client.clientId !== '') return true;",
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 125: a token in the hands of another client > tells it nothing, and it can end nothing',
    },
  },
  {
    name: 'openid: whoever has a token asks about it without proof of who they are',
    edits: [{ file: PROVIDER, from: "client.clientAuthMethod !== 'none' &&", to: '' }],
    test: {
      file: THREATS,
      name: 'threat 125: a token in the hands of another client > not even to itself, where it can not prove who it is',
    },
  },
  {
    name: 'openid: an acr that can not be reached is asked for again and again',
    edits: [
      {
        file: 'service/src/openid/policy.ts',
        from: 'if (!asks || context.oidc.result?.login === undefined) return asks;',
        to: "if (!asks || context.oidc.result?.login === undefined || check.reason !== '') return asks;",
      },
    ],
    test: {
      file: API,
      name: 'a sign-in that brings no code > is unmet_authentication_requirements for a level that the person lacks',
    },
  },
  {
    name: 'openid: a code is given for an interaction that has ended',
    edits: [
      {
        file: RECORDS,
        from: 'hold({ remove: { model, id } }, hasEnded)',
        to: 'hold({ remove: { model, id } }, null)',
      },
    ],
    test: {
      file: 'service/test/api/openid-commits.test.ts',
      name: 'a sign-in writes > no code of an interaction that has just ended',
    },
  },
  {
    name: 'openid: a refused end of a sign-in can be asked for again',
    edits: [
      {
        file: 'service/src/openid/held-changes.ts',
        from: 'await make(store, requests.get(request) ?? [], takeUse(request)).catch(unlessRefused);',
        to: 'void takeUse(request);',
      },
    ],
    test: {
      file: 'service/test/api/openid-commits.test.ts',
      name: 'a sign-in writes > the end of an interaction that is refused, which is then over',
    },
  },
  {
    name: 'openid: a redirect address that was removed meanwhile gets the code',
    edits: [
      {
        file: 'service/src/openid/policy.ts',
        from: "if (client?.redirectUriAllowed(textMember(params, 'redirect_uri')) === true) return false;",
        to: "if (textMember(params, 'redirect_uri') !== '' || client === undefined) return false;",
      },
    ],
    test: {
      file: BETWEEN,
      name: 'threat 121: between the approval and the code > a redirect address that the operator removes gets nothing',
    },
  },
  {
    name: 'openid: a scope that was removed meanwhile is granted',
    edits: [
      {
        file: GRANT,
        from: "scopes.filter((scope) => requested.has(scope)).join(' ')",
        to: "[...requested].join(' ')",
      },
      {
        file: GRANT,
        from: "return all.filter((scope) => own.includes(scope)).join(' ');",
        to: "return own.includes('') ? '' : all.join(' ');",
      },
    ],
    test: {
      file: BETWEEN,
      name: 'threat 121: between the approval and the code > a scope that the operator removes is not granted',
    },
  },
  {
    name: 'openid: a sandboxed page is a page of every application on a device',
    edits: [
      { file: PROVIDER, from: '.filter((address) => !isPrivateUseAddress(address))', to: '' },
    ],
    test: {
      file: ABUSE,
      name: 'threat 121: a page that is no page of the client > reads no answer to a client of its own scheme: null',
    },
  },
  {
    name: 'openid: every page reads the answers to a client without a back end',
    edits: [
      {
        file: PROVIDER,
        from: 'originsOf(openid).includes(origin);',
        to: "originsOf(openid).includes(origin) || origin !== '';",
      },
    ],
    test: {
      file: ABUSE,
      name: 'threat 121: claims > are read with a token by the pages of its client alone',
    },
  },
  {
    name: 'openid: a beginning may be as long as the library lets it be',
    edits: [
      {
        file: RECORDS,
        from: 'if (body.length > longestOf(model, payload))',
        to: 'if (body.length > 9 * longestOf(model, payload))',
      },
    ],
    test: {
      file: ABUSE,
      name: 'threat 123: beginnings of sign-ins > are not kept where they are longer than a request of the API may be',
    },
  },
  {
    name: 'openid: a beginning is never refused for too much work',
    edits: [
      {
        file: 'service/src/openid/face.ts',
        from: '...(begins === true ? [refuseOverload(context)] : []),',
        to: '...(begins === undefined ? [refuseOverload(context)] : []),',
      },
    ],
    test: {
      file: ABUSE,
      name: 'threat 123: beginnings of sign-ins > are refused as starts are, while starts take long in the store',
    },
  },
  {
    name: 'openid: the purge does not go on for records of the provider',
    edits: [
      {
        file: 'service/src/operate/purge.flow.ts',
        from: 'Math.max(step.attempts, step.tokens, step.seals, step.openid)',
        to: 'Math.max(step.attempts, step.tokens, step.seals)',
      },
    ],
    test: {
      file: 'service/src/operate/purge.flow.test.ts',
      name: 'a purge > goes on in small steps until nothing is left: {"attempts":0,"tokens":0,"seals":0,"openid":1200}',
    },
  },
  {
    name: 'openid: a client that leaves is an error in the log',
    edits: [{ file: PROVIDER, from: 'if (!req.socket.destroyed) logFailure', to: 'logFailure' }],
    test: {
      file: ABUSE,
      name: 'threat 123: beginnings of sign-ins > by clients that leave in the middle write no errors into the log',
    },
  },
  {
    name: 'openid: an outage of the store is an error of the program',
    edits: [
      {
        file: RECORDS,
        from: 'if (!(cause instanceof Refusal)) throw cause;',
        to: "if (cause !== '') throw cause;",
      },
    ],
    test: {
      file: 'service/test/api/openid-outage.test.ts',
      name: 'while the store is not there > a back end is told so, with 503',
    },
  },
  {
    name: 'openid: what a key of before has signed is not good after the rotation',
    edits: [
      {
        file: 'service/src/account/openid-keys.ts',
        from: 'previous: keys.current, nextSince: at',
        to: 'previous: [], nextSince: at',
      },
    ],
    test: {
      file: 'service/src/account/openid-keys.test.ts',
      name: 'what signs next is published before it signs, and what has signed for one rotation more',
    },
  },
  {
    name: 'openid: an instance keeps the signing keys that it began with',
    edits: [
      {
        file: 'service/src/openid/face.ts',
        from: 'isDue(readAt + READ_AGAIN_MS, READ_AGAIN_MS, now)',
        to: 'isDue(readAt + READ_AGAIN_MS, READ_AGAIN_MS, readAt)',
      },
    ],
    test: {
      file: 'service/test/api/openid-outage.test.ts',
      name: 'the signing keys > are read again after ten seconds, and kept while the store is not there',
    },
  },
  {
    name: 'openid: an assertion of a client is good for several at once',
    edits: [
      {
        file: RECORDS,
        from: "if (!isFirst) throw new InvalidClientAuth('the assertion was used already');",
        to: 'void isFirst;',
      },
    ],
    test: {
      file: 'service/src/openid/records.test.ts',
      name: 'of assertions that are used at once, all found new by the library, one is the first',
    },
  },
  {
    name: 'openid: an assertion for the address of an endpoint is taken',
    edits: [
      {
        file: ASSERTION_RULES,
        from: "throw new InvalidClientAuth('aud must be the issuer, and nothing else');",
        to: 'void aud;',
      },
    ],
    test: {
      file: ASSERTIONS,
      name: 'threat 126: an assertion of a client > for the address of an endpoint proves nothing',
    },
  },
  {
    name: 'openid: an assertion is good for as long as it says',
    edits: [
      {
        file: ASSERTION_RULES,
        from: "throw new InvalidClientAuth('the assertion is good for too long');",
        to: 'void exp;',
      },
    ],
    test: {
      file: ASSERTIONS,
      name: 'threat 126: an assertion of a client > that is good for two hours proves nothing',
    },
  },
  {
    name: 'openid: a client uses up the assertions of another one',
    edits: [
      {
        file: ASSERTION_RULES,
        from: 'unique(issuer, ` ${jti}`, exp)',
        to: 'unique(issuer, jti, exp)',
      },
    ],
    test: {
      file: ASSERTIONS,
      name: 'threat 126: an assertion of a client > is not used up by a client whose id is the beginning of its own',
    },
  },
  {
    name: 'openid: a rotation follows another one at once',
    edits: [
      {
        file: 'service/src/commands/keys.ts',
        from: 'if (now < settledFrom(keys)) return context.fail(NOT_SETTLED);',
        to: 'void [settledFrom, NOT_SETTLED];',
      },
    ],
    test: {
      file: 'service/test/e2e/openid-keys.test.ts',
      name: 'right after another one it is refused, and drops no key of before',
    },
  },
  {
    name: 'openid: the words of a refusal are searched at any length',
    edits: [
      {
        file: 'service/src/openid/refused.ts',
        from: `    .slice(0, 2 * LONGEST_REASON)
`,
        to: '',
      },
      {
        file: 'service/src/openid/refused.ts',
        from: String.raw`/(?<!\\)\\+(?:u005c)`,
        to: String.raw`/\\+(?:u005c)`,
      },
    ],
    test: {
      file: 'service/test/threats/openid-abuse.test.ts',
      name: 'threat 147: a request that is costly to refuse > costs no more than others: /openid/token',
    },
  },
  {
    name: 'openid: of a refresh token that is used twice at once one use goes on',
    edits: [
      {
        file: 'service/src/openid/records.ts',
        from: 'if (model === REFRESH_TOKEN) await this.endGrantOf(id);',
        to: "if (model === '') await this.endGrantOf(id);",
      },
    ],
    test: {
      file: 'service/test/threats/openid.test.ts',
      name: 'threat 124: a refresh token > used twelve times at once gives one answer at most, which ends too, and nothing breaks',
    },
  },
  {
    name: 'openid: a refusal is led to an address that the client has no more',
    edits: [
      {
        file: 'service/src/openid/interaction.route.ts',
        from: 'const result = isLed ? ',
        to: 'const result = isLed || true ? ',
      },
    ],
    test: {
      file: 'service/test/threats/openid-between.test.ts',
      name: 'threat 121: between the approval and the code > nor is it told that the person has refused',
    },
  },
  {
    name: 'openid: a refusal quotes a secret that somebody put in a wrong place',
    edits: [
      {
        file: 'service/src/openid/refused.ts',
        from: "short.replaceAll(/mf[kt]_[\\w-]*|(?=[\\w-]*\\d)[\\w-]{20,}/g, '…')",
        to: 'short',
      },
    ],
    test: {
      file: 'service/test/api/openid-refusals.test.ts',
      name: 'of the unknown client mfk_key the log says so',
    },
  },
  {
    name: 'openid: a logout while the store is away is answered with bare text',
    edits: [{ file: LOGOUT, from: 'parts.showError(context, error);', to: 'throw error;' }],
    test: {
      file: 'service/test/api/openid-outage.test.ts',
      name: 'while the store is not there > a logout is an error page, with 503: removeOpenid',
    },
  },
  {
    name: 'openid: a logout asks nobody',
    edits: [
      {
        file: LOGOUT,
        from: 'if (ends.length > 0 && !(await isOfHint(context, session, parts))) {',
        to: 'if (ends.length < 0 && !(await isOfHint(context, session, parts))) {',
      },
    ],
    test: {
      file: LOGOUTS,
      name: 'threat 128: a foreign page that signs somebody out > by a link ends nothing: the person is asked, and no page of others can hold that page',
    },
  },
  {
    name: 'openid: a logout takes the ID token of anybody',
    edits: [
      {
        file: LOGOUT,
        from: 'return named === (await subjectFor(accountId, client));',
        to: "return named !== (await subjectFor('', client));",
      },
    ],
    test: {
      file: LOGOUTS,
      name: 'threat 128: a foreign page that signs somebody out > with an ID token of its own of portal ends nothing',
    },
  },
  {
    name: 'openid: a logout leads wherever a sign-in does',
    edits: [
      {
        file: PROVIDER,
        from: "mayLeadTo(clients.find(this.clientId), 'postLogoutRedirectUris', address)",
        to: "mayLeadTo(clients.find(this.clientId), 'redirectUris', address)",
      },
    ],
    test: {
      file: LOGOUTS,
      name: 'threat 128: a logout that leads elsewhere > is refused for https://portal.example.test/cb',
    },
  },
  {
    name: 'openid: a logout leads to an address that was removed meanwhile',
    edits: [
      {
        file: LOGOUT,
        from: 'if (listed === undefined || client?.postLogoutRedirectUriAllowed(listed) !== true) {',
        to: 'if (listed === undefined || client === undefined) {',
      },
    ],
    test: {
      file: LOGOUTS,
      name: 'threat 128: a logout that leads elsewhere > is not possible to an address that the operator removes while the person is asked',
    },
  },
  {
    name: 'openid: a logout leaves the access token',
    edits: [
      {
        file: RECORDS,
        from: '  await endGrants(store, { model, id }, clock);\n',
        to: '',
      },
    ],
    test: {
      file: 'service/test/api/openid-logout.test.ts',
      name: 'with the ID token of the sign-in, by a pairwise sub, it ends what that gave and leads back at once',
    },
  },
  {
    name: 'openid: a logout ends what a client has without the person',
    edits: [
      {
        file: RECORDS,
        from: "!scopes.includes('offline_access')",
        to: "!scopes.includes('offline')",
      },
    ],
    test: {
      file: 'service/test/api/openid-logout.test.ts',
      name: 'what a client has without the person outlives it',
    },
  },
  {
    name: 'openid: all clients with pairwise subjects are of one sector',
    edits: [
      {
        file: 'service/src/openid/sessions/pairwise.ts',
        from: 'clients.find(clientId)?.openid?.sector ?? null;',
        to: "clients.find(clientId)?.openid?.sector === null ? null : 'all';",
      },
    ],
    test: {
      file: 'service/test/api/openid-pairwise.test.ts',
      name: 'clients at one host know a person by the same sub, others by another one, each time',
    },
  },
  {
    name: 'openid: a logout by an ID token is told to no client',
    edits: [
      {
        file: LOGOUT,
        from: 'if (session !== undefined && ended.has(session)) await',
        to: 'if (session !== undefined && !ended.has(session)) await',
      },
    ],
    test: {
      file: 'service/test/api/openid-told.test.ts',
      name: 'a client is told of a logout > by a token that it can verify, with its public sub',
    },
  },
  {
    name: 'openid: each of several logouts at once is told to the clients',
    edits: [
      {
        file: LOGOUT,
        from: 'if (await parts.endSession(this.id)) ended.add(this);',
        to: 'await parts.endSession(this.id).finally(() => ended.add(this));',
      },
    ],
    test: {
      file: 'service/test/api/openid-told.test.ts',
      name: 'a client is told of a logout > once, however many logouts of a browser come at once: by an ID token',
    },
  },
  {
    name: 'openid: a client that could not be told of a logout is not in the log',
    edits: [
      {
        file: 'service/src/openid/refused.ts',
        from: "if (what === 'logout') log.warn(",
        to: "if (what !== 'logout' && what !== 'ping') log.warn(",
      },
    ],
    test: {
      file: 'service/test/api/openid-told.test.ts',
      name: 'a client that can’t be told of a logout > because it has answered 500 is named in the log, and the person is signed out',
    },
  },
  {
    name: 'openid: strict mode tells a stranger which clients there are',
    edits: [
      {
        file: 'service/src/openid/refused.ts',
        from: "if (!showsIds) return '';",
        to: "if (!showsIds && all.length === 0) return '';",
      },
    ],
    test: {
      file: 'service/test/api/openid-refusals.test.ts',
      name: 'of the clients of a file it has the ids in plain simulator mode alone',
    },
  },
  {
    name: 'openid: a logout token is taken for an ID token',
    edits: [{ file: LOGOUT, from: 'takeIdTokensAlone(provider.IdToken);\n', to: '' }],
    test: {
      file: LOGOUTS,
      name: 'threat 128: a logout token, from the log of an application, as an ID token > signs nobody out without a question',
    },
  },
  {
    name: 'openid: an answer does not say whose it is (mix-up)',
    edits: [
      {
        file: PROVIDER,
        from: '  provider.proxy = true;\n',
        to:
          '  provider.proxy = true;\n  provider.use(async (answered, next) => {\n    await next();\n' +
          "    const address = answered.response.get('location');\n" +
          "    if (typeof address === 'string') answered.redirect(address.replace(/&iss=[^&]*/, ''));\n  });\n",
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 120: a code > that another provider has led here is refused by the library: each answer names its own',
    },
  },
  {
    name: 'openid: a part of it is loaded where it is off',
    edits: [
      {
        file: 'service/src/program/live-services.ts',
        from: "import { commonServices, type Runtime } from './mode.ts';\n",
        to: "import { commonServices, type Runtime } from './mode.ts';\nimport '../openid/error-page.ts';\n",
      },
    ],
    test: {
      file: 'service/test/e2e/openid.test.ts',
      name: 'a service without OPENID loads nothing of it: live',
    },
  },
];
