import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import {
  CLIENTS_FOLDER,
  DATA_DIR,
  DRAIN_SECONDS,
  METRICS_PORT,
  NAME,
  INSTANCE_LABELS,
  PORT,
  PUBLIC_HOST,
  SECRETS_FOLDER,
  SERVICE_ACCOUNT,
  SETTINGS,
} from './names.ts';

/** The settings that are no secrets. Edit what is named `example`, and the addresses. */
export const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: SETTINGS, labels: INSTANCE_LABELS },
  data: {
    NODE_ENV: 'production',
    HOST: '0.0.0.0',
    PORT: String(PORT),
    PUBLIC_URL: `https://${PUBLIC_HOST}`,
    // The addresses of the ingress controller's pods: X-Forwarded-For is believed from these only.
    TRUSTED_PROXIES: '10.244.0.0/16',
    // Prometheus is another pod. The network policy says which one may ask.
    METRICS_HOST: '0.0.0.0',
    METRICS_PORT: String(METRICS_PORT),
    DATA_DIR,
    DRAIN_TIME: `${DRAIN_SECONDS}s`,
    CLIENTS_FILE: `${CLIENTS_FOLDER}/clients.json`,
    SECRET_KEY_FILE: `${SECRETS_FOLDER}/secret-key`,
    DATABASE_URL_FILE: `${SECRETS_FOLDER}/database-url`,
    PROVIDER: 'live',
    PROVIDER_URL: 'https://api.provider.example',
    PROVIDER_PATH_PREFIX: '/',
    PROVIDER_APP_ID_FILE: `${SECRETS_FOLDER}/provider-app-id`,
    PROVIDER_APP_KEY_FILE: `${SECRETS_FOLDER}/provider-app-key`,
    PROVIDER_ISSUER: 'https://provider.example',
    PROVIDER_AUDIENCE: `https://${PUBLIC_HOST}`,
    PROVIDER_AUTHORIZE_ORIGIN: 'https://signin.provider.example',
  },
} satisfies IConfigMap;

/** The service never asks the interface of the cluster, so it gets no token for it. */
export const serviceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: SERVICE_ACCOUNT, labels: { 'app.kubernetes.io/part-of': NAME } },
  automountServiceAccountToken: false,
} satisfies IServiceAccount;
