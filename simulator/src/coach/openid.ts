/** How an OpenID client goes on with a sign-in. */
import type { Ms } from '../engine/ports.ts';
import { addressIn } from '../journal/led-to.ts';
import { parsed, textAt } from './bodies.ts';
import { callsOf, isAnswered, numbersOf, queryOf, type Call } from './calls.ts';
import { longestHurry } from './polling.ts';
import type { CoachInput, CoachRule } from './rule.ts';

/** The lifetime of a code. */
const TIME_TO_REDEEM_MS: Ms = 60_000;
/** Longer than an application that shows its person at once needs. */
const TIME_TO_ASK_MS: Ms = 120_000;
/** The service asks for five seconds between two polls; timers and networks are not exact. */
const SHORTEST_GAP_MS: Ms = 3500;

const HAS_CODE = /[?&#]code=/;
/** Those whose claims are in the answer of userinfo alone. */
const TOLD_BY_USERINFO: ReadonlySet<string> = new Set([
  'profile',
  'email',
  'national_id',
  'birthdate',
]);

/** Of the token endpoint, by the member `grant_type` of the form. */
function tokenCalls(input: CoachInput, grant: string): readonly Call[] {
  return callsOf(input, 'openidToken').filter(
    ({ exchange }) => textAt(exchange.request.body, 'grant_type') === grant,
  );
}

const errorOf = ({ exchange }: Call): string | undefined => textAt(exchange.response.body, 'error');

/** Where a browser was sent back with a code: after its sign-in, or at once by a session of before. */
const codesIn = (input: CoachInput): readonly Call[] =>
  callsOf(input, 'openidReturn', 'openidAuthorize').filter(({ exchange }) =>
    HAS_CODE.test(addressIn(exchange) ?? ''),
  );

export const NO_OPENID_TOKENS: CoachRule = {
  key: 'openid_no_tokens',
  title: {
    en: 'The tokens of OpenID were never asked for',
    ar: 'لم تُطلب رموز تسجيل الدخول',
  },
  advice: {
    en: 'The person has approved, and nothing has come of it. With a code: send it to `POST /openid/token` at once, with `code_verifier` and the same `redirect_uri`; it is good for 60 seconds. Without a browser: go on asking there with `auth_req_id`, every five seconds, until the answer is no longer `authorization_pending`.',
    ar: 'وافق المستخدم ولم يحدث شيء. إن جاءك رمز التفويض مع المتصفح فأرسله فورًا إلى `POST /openid/token` مع `code_verifier` وقيمة `redirect_uri` نفسها، فهو صالح 60 ثانية. وإن كان الدخول بلا متصفح فكرّر الطلب هناك مع `auth_req_id` كل خمس ثوانٍ ما دام الردّ `authorization_pending`.',
  },
  says: 'A browser was sent back with a code a minute ago or earlier, and no tokens were asked for; or a push without a browser was approved a minute ago or earlier, and was not polled since.',
  check: (input) => {
    const tokens = callsOf(input, 'openidToken');
    const since = (at: Ms) => tokens.some((call) => call.answeredAt >= at);
    const isLate = (at: Ms) => input.now - at >= TIME_TO_REDEEM_MS && !since(at);
    const back = codesIn(input).filter(({ answeredAt }) => isLate(answeredAt));
    if (back.length > 0) return numbersOf(back);
    const { state, endedAt } = input;
    const isUnread = state === 'authenticated' && endedAt !== null && isLate(endedAt);
    return isUnread ? numbersOf(callsOf(input, 'openidBackchannel')) : null;
  },
};

export const OPENID_CODE_TWICE: CoachRule = {
  key: 'openid_code_twice',
  title: {
    en: 'A code of OpenID was sent twice',
    ar: 'أُرسل رمز التفويض نفسه مرتين',
  },
  advice: {
    en: 'Redeem a code once, in one place: two handlers of the redirect address, a page that is loaded again, or a repeat after a lost answer send it twice. The second time is `invalid_grant`, and all tokens of the sign-in end, because one of the two may be a thief. After a lost answer begin a new sign-in.',
    ar: 'أرسل رمز التفويض مرة واحدة ومن موضع واحد: فوجود معالجَين لعنوان العودة، أو تحميل الصفحة ثانيةً، أو تكرار الطلب بعد ضياع الردّ يرسله مرتين. والمرة الثانية ردّها `invalid_grant`، وتنتهي معها كل رموز هذا الدخول، فقد يكون أحد المرسلَين سارقًا. وإذا ضاع الردّ فابدأ تسجيل دخول جديدًا.',
  },
  says: 'The code was redeemed, and was then sent again, which was refused with invalid_grant.',
  check: (input) => {
    const calls = tokenCalls(input, 'authorization_code');
    const redeemed = calls.filter((call) => isAnswered(call, 200));
    const codes = codesIn(input);
    // A session has several codes: one of them that was never redeemed is wrong in another way.
    return numbersOf(
      calls.filter((call) => {
        const before = (other: Call) => other.number < call.number;
        const used = redeemed.filter(before).length;
        return errorOf(call) === 'invalid_grant' && used > 0 && codes.filter(before).length <= used;
      }),
    );
  },
};

export const OPENID_REFRESH_TWICE: CoachRule = {
  key: 'openid_refresh_twice',
  title: {
    en: 'A refresh token of OpenID was sent twice',
    ar: 'أُرسل رمز التحديث نفسه مرتين',
  },
  advice: {
    en: 'Each answer of `grant_type=refresh_token` has the next token: keep that before you go on, and let one process refresh. The second time is `invalid_grant`, and all tokens of the sign-in end, because one of the two may be a thief. After a lost answer begin a new sign-in.',
    ar: 'كل ردّ على `grant_type=refresh_token` يأتي برمز تحديث جديد: احفظه قبل أن تتابع، واجعل التحديث في عملية واحدة. والمرة الثانية ردّها `invalid_grant`، وتنتهي معها كل رموز هذا الدخول، فقد يكون أحد المرسلَين سارقًا. وإذا ضاع الردّ فابدأ تسجيل دخول جديدًا.',
  },
  says: 'A refresh token that had been used was sent again, which was refused with invalid_grant.',
  check: (input) =>
    numbersOf(
      tokenCalls(input, 'refresh_token').filter(
        (call) =>
          errorOf(call) === 'invalid_grant' &&
          textAt(call.exchange.response.body, 'error_description')?.includes('already') === true,
      ),
    ),
};

export const OPENID_GETS_LESS: CoachRule = {
  key: 'openid_gets_less',
  title: {
    en: 'An OpenID client got less than it asked for',
    ar: 'حصل التطبيق على أقل مما طلب',
  },
  advice: {
    en: '`offline_access`, for a refresh token, has to be in `openid.scope` of the client, and a request by browser needs `prompt=consent` too. A claim of the parameter `claims` needs its scope in `openid.scope`; a person may also have none. The log of the service names what the client may not have.',
    ar: 'لكي يأتي رمز التحديث يجب أن يكون `offline_access` في `openid.scope` للتطبيق، وأن يحمل الطلب عبر المتصفح `prompt=consent` أيضًا. وكل بيان يُطلب في `claims` يحتاج إلى نطاقه في `openid.scope`، وقد لا يكون للمستخدم هذا البيان أصلًا. وسجلّ الخدمة يذكر ما لا يحق للتطبيق.',
  },
  says: 'A request had offline_access in its scope and the tokens had not, or an answer of userinfo lacks a claim that the parameter claims made essential.',
  check: (input) => {
    const requests = requestsOf(input);
    const isLasting = requests.some((call) => namedIn(call, 'scope').split(' ').includes(LASTING));
    const given = callsOf(input, 'openidToken').filter(
      (call) => isAnswered(call, 200) && isLasting && !scopesOf(call).includes(LASTING),
    );
    const essential = requests.flatMap(essentialIn);
    const told = callsOf(input, 'openidUserinfo').filter((call) => {
      const names = Object.keys(objectAt(parsed(call.exchange.response.body)));
      return isAnswered(call, 200) && essential.some((claim) => !names.includes(claim));
    });
    return numbersOf([...given.slice(0, 1), ...told.slice(0, 1)]);
  },
};

const LASTING = 'offline_access';

/** What begins a sign-in. */
const requestsOf = (input: CoachInput): readonly Call[] =>
  callsOf(input, 'openidAuthorize', 'openidPar', 'openidBackchannel');

/** Of the query or the form; empty for none. */
const namedIn = (call: Call, name: string): string =>
  queryOf(call).get(name) ?? textAt(parsed(call.exchange.request.body), name) ?? '';

const objectAt = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {};

/** The claims of userinfo that a request insists on. */
function essentialIn(call: Call): readonly string[] {
  const [, wishes] =
    Object.entries(objectAt(parsed(namedIn(call, 'claims')))).find(
      ([where]) => where === 'userinfo',
    ) ?? [];
  return Object.entries(objectAt(wishes)).flatMap(([claim, wish]) =>
    Object.entries(objectAt(wish)).some(([name, value]) => name === 'essential' && value === true)
      ? [claim]
      : [],
  );
}

export const OPENID_POLLS_TOO_FAST: CoachRule = {
  key: 'openid_polls_too_fast',
  title: {
    en: 'The tokens of a push are asked for too often',
    ar: 'طلب رموز الإشعار متكرر أكثر من اللازم',
  },
  advice: {
    en: 'Wait `interval` seconds between two polls of `POST /openid/token`: it is in the answer of `POST /openid/backchannel`, and is five. Whoever asks more than twelve times a minute is answered `slow_down`. Or be told: `"backchannel_token_delivery_mode": "ping"` in the clients file.',
    ar: 'انتظر بين كل طلبين من `POST /openid/token` عدد الثواني الذي في `interval` من ردّ `POST /openid/backchannel`، وهو خمس. ومن تجاوز 12 طلبًا في الدقيقة جاءه الردّ `slow_down`. أو اطلب أن تُبلَّغ: `"backchannel_token_delivery_mode": "ping"` في ملف التطبيقات.',
  },
  says: 'Six polls or more of a push that nobody had decided came one after another, each less than 3.5 seconds after the one before.',
  check: (input) => {
    const polls = tokenCalls(input, 'urn:openid:params:grant-type:ciba').filter((call) =>
      ['authorization_pending', 'slow_down'].includes(errorOf(call) ?? ''),
    );
    return numbersOf(longestHurry(polls, SHORTEST_GAP_MS));
  },
};

export const NO_USERINFO: CoachRule = {
  key: 'openid_no_userinfo',
  title: {
    en: 'Claims were granted, and never asked for',
    ar: 'بيانات مُنحت ولم تُطلب',
  },
  advice: {
    en: 'The ID token has no name, e-mail, national id or day of birth: ask `GET /openid/userinfo` with the access token, within ten minutes. Many libraries do so only when they are told, such as Auth.js by `idToken: false`. Leave `profile`, `email`, `national_id` and `birthdate` out of `scope` if you do not need them.',
    ar: 'رمز الهوية `id_token` لا يحتوي الاسم ولا البريد ولا رقم الهوية ولا تاريخ الميلاد: اطلب `GET /openid/userinfo` برمز الوصول خلال عشر دقائق. ومكتبات كثيرة لا تفعل ذلك إلا إذا ضُبطت له، مثل `idToken: false` في `Auth.js`. وإن لم تحتج إلى `profile` و`email` و`national_id` و`birthdate` فاحذفها من `scope`.',
  },
  says: 'Tokens were given for profile, email, national_id or birthdate two minutes ago or earlier, userinfo was not asked, and the request had no claims parameter.',
  check: (input) => {
    const given = callsOf(input, 'openidToken').filter(
      (call) => isAnswered(call, 200) && input.now - call.answeredAt >= TIME_TO_ASK_MS,
    );
    const isAsked = callsOf(input, 'openidUserinfo').length > 0 || namesClaims(input);
    return isAsked ? null : numbersOf(given.filter(hasMoreScopes).slice(0, 1));
  },
};

const scopesOf = ({ exchange }: Call): readonly string[] =>
  textAt(exchange.response.body, 'scope')?.split(' ') ?? [];

const hasMoreScopes = (call: Call): boolean =>
  scopesOf(call).some((scope) => TOLD_BY_USERINFO.has(scope));

/** It can put claims into the ID token. */
const namesClaims = (input: CoachInput): boolean =>
  requestsOf(input).some((call) => namedIn(call, 'claims') !== '');
