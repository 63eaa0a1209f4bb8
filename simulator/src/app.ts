import type { FastifyPluginCallback } from 'fastify';
import { control, type ControlOptions } from './control.ts';
import { provider, type ProviderOptions } from './provider.ts';
import { stampAnswers } from './http/stamp.ts';

/** Where the interface document's calls are found below the provider's address. */
export const DEFAULT_PREFIX = '/stg';

export interface SimulatorOptions extends ProviderOptions, ControlOptions {
  /** Begins with a slash and ends without one; empty for a provider at the root. */
  readonly providerPrefix?: string;
}

/**
 * The simulator's HTTP face: area B below its prefix, the control API below `/simulator`. It is
 * encapsulated (parser, validation, error handling are its own), so that it can be registered on
 * an application that answers errors in another form.
 */
export const simulator: FastifyPluginCallback<SimulatorOptions> = (app, options, done) => {
  stampAnswers(app);
  app.register(provider, { ...options, prefix: options.providerPrefix ?? DEFAULT_PREFIX });
  app.register(control, { ...options, prefix: '/simulator' });
  done();
};

export type { Credentials } from './provider.ts';
export type { ControlAccess } from './control/guard.ts';
