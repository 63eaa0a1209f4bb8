import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import { Sessions } from './access/sessions.ts';
import { browser } from './browser/browser.ts';
import { ResultSender } from './callbacks/result-sender.ts';
import { control } from './control/control.ts';
import { rememberRoutes } from './control/unknown-route.ts';
import { dateAnswers, stampAnswers } from './http/stamp.ts';
import { Journal } from './journal/journal.ts';
import { recordedPost } from './journal/record-post.ts';
import { KeyRing, keysInMemory } from './keys/key-ring.ts';
import { TokenSigner } from './keys/token-signer.ts';
import { MovableTime } from './platform/movable-time.ts';
import { describeSimulator } from './openapi.ts';
import { prefixesOf, type RouteContext, type SimulatorOptions } from './options.ts';
import { systemElapsed, systemPost, systemRandom } from './platform/platform.ts';
import { provider } from './provider/provider.ts';

export { REPORTED_PREFIXES } from './options.ts';

/**
 * The simulator's HTTP endpoints: area B below its prefixes, the sign-in pages, and the control API
 * below `/simulator`. The plugin has its own parsers, validation and error handling, so that it can
 * be registered on an application that answers errors in another form.
 */
export const simulator: FastifyPluginCallback<SimulatorOptions> = (app, options, done) => {
  const { credentials = null, pushStatus = 200 } = options;
  const context = openContext(app, options);
  stampAnswers(app);
  dateAnswers(app, context.time);
  const routes = rememberRoutes(app);
  describeSimulator(app, options);
  for (const prefix of prefixesOf(options)) {
    app.register(provider, { ...context, credentials, pushStatus, prefix });
  }
  app.register(browser, context);
  const { control: access, hosted = null, attempts = null, keepsMs = null } = options;
  const { webhooks = null, openid = null } = options;
  const { sessions = new Sessions(context.time, systemRandom) } = options;
  const { addressOf = ({ ip }) => ip } = options;
  const mayMoveTime = options.time !== undefined;
  app.register(control, {
    ...context,
    routes,
    hostRefusesUnknown: options.hostRefusesUnknown ?? false,
    control: access,
    addressOf,
    sessions,
    hosted,
    attempts,
    webhooks,
    openid,
    mayMoveTime,
    keepsMs,
    prefix: '/simulator',
  });
  done();
};

function openContext(app: FastifyInstance, options: SimulatorOptions): RouteContext {
  const { engine, timer, relyingParty = null, attempts = null, post = systemPost } = options;
  const keys = options.keys ?? new KeyRing(keysInMemory());
  const signer = new TokenSigner(keys);
  const time = options.time ?? new MovableTime(engine, timer);
  const journal = options.journal ?? new Journal();
  const context = { engine, timer, time, keys, signer, relyingParty, journal, attempts };
  if (relyingParty === null) return { ...context, resultSender: null };
  const address = relyingParty.pushUrl;
  const recorded = recordedPost({ journal, time, elapsed: systemElapsed, post });
  const resultSender = new ResultSender({
    engine,
    timer,
    time,
    signer,
    post: recorded,
    address,
    log: app.log,
  });
  app.addHook('onClose', () => resultSender.close());
  return { ...context, resultSender };
}

export type {
  HostedAttempt,
  HostedAttempts,
  HostedOpenid,
  HostedPrompts,
  HostedWebhook,
  HostedWebhooks,
  ReplayChoice,
  ReplayResult,
  ReplaySource,
  SignInOrigin,
} from './hosted.ts';
export type {
  AddressOf,
  ControlAccess,
  Credentials,
  RelyingParty,
  SimulatorOptions,
} from './options.ts';
export type { Entry } from './journal/entry.ts';
export { Sessions } from './access/sessions.ts';
export { ANSWER_HEADERS, keptHeaders, REQUEST_HEADERS } from './journal/kept-headers.ts';
export { Journal } from './journal/journal.ts';
export { KeyRing } from './keys/key-ring.ts';
