import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { root } from '../../../../scripts/run.mjs';
import { temporaryFolder } from '../at-end.ts';
import {
  applicationAt,
  atPlace,
  keyOf,
  runUntilItAnswers,
  type Place,
  type Tried,
} from './tried-client.ts';

/**
 * Applications in other languages, with Debian's packages: the configuration of docs/openid.md, and
 * what is around it.
 */

/** The program of an application, and how its file is run. */
export interface Language {
  readonly file: string;
  /** @param configuration that of docs/openid.md */
  readonly program: (configuration: string) => string;
  readonly command: (file: string, folder: string) => readonly [string, ...string[]];
}

/** @returns where it answers */
export async function startIn(language: Language, { client, place }: Tried): Promise<string> {
  const folder = temporaryFolder('tried');
  const file = join(folder, language.file);
  writeFileSync(file, atPlace(language.program(client.configuration), place));
  await runUntilItAnswers(language.command(file, folder), settingsOf(place, folder), place);
  return applicationAt(place);
}

function settingsOf(place: Place, folder: string): Record<string, string> {
  return {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: folder,
    PORT: String(place.port),
    CLIENT_SECRET: keyOf(place),
    SESSION_SECRET: 'k'.repeat(32),
  };
}

/** Debian's Python, and not one that somebody has put before it. */
export const PYTHON: Language = {
  file: 'app.py',
  command: (file) => ['/usr/bin/python3', file],
  program: (configuration) => `
import json, os
from flask import Flask, redirect, request
app = Flask(__name__)
app.secret_key = os.environ["SESSION_SECRET"]
${configuration}
from authlib.integrations.base_client.errors import OAuthError

@app.get("/login")
def login():
    return sign_in()

@app.get("/cb")
def callback():
    try:
        told = signed_in()
    except OAuthError as refused:
        told = {"error": refused.error}
    return json.dumps(told), 200, {"content-type": "text/plain"}

app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
`,
};

/** The library asks for the provider by https, and begins a sign-in by POST alone, unless told otherwise. */
export const RUBY: Language = {
  file: 'config.ru',
  command: (file) => ['/usr/bin/ruby', '-rrack', '-e', SERVE_RACK, file],
  program: (configuration) => `
require "json"
require "omniauth"
require "omniauth_openid_connect"
SWD.url_builder = URI::HTTP
OmniAuth.config.allowed_request_methods = %i[get]
OmniAuth.config.silence_get_warning = true
OmniAuth.config.logger.level = Logger::ERROR
use Rack::Session::Cookie, secret: ENV.fetch("SESSION_SECRET")
${configuration}
run lambda { |env|
  auth = env["omniauth.auth"]
  told = auth ? auth.extra.raw_info : { error: Rack::Request.new(env).params["message"] }
  [200, { "content-type" => "text/plain" }, [JSON.generate(told)]]
}
`,
};

const SERVE_RACK = `
app, = Rack::Builder.parse_file(ARGV[0])
Rack::Handler::WEBrick.run(app, Host: "127.0.0.1", Port: ENV.fetch("PORT").to_i)
`;

/** What Debian has of Go's libraries stands in a folder of the time before modules. */
export const GO: Language = {
  file: 'main.go',
  command: (file, folder) => [build(file, folder)],
  program: (configuration) => `
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log"
	"net/http"
	"os"

	oidc "github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

func random() string {
	bytes := make([]byte, 32)
	rand.Read(bytes)
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func main() {
	ctx := context.Background()
	${configuration}
	state, nonce, proof := "", "", ""
	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		state, nonce, proof = random(), random(), random()
		sum := sha256.Sum256([]byte(proof))
		challenge := base64.RawURLEncoding.EncodeToString(sum[:])
		http.Redirect(w, r, config.AuthCodeURL(state, oidc.Nonce(nonce),
			oauth2.SetAuthURLParam("code_challenge", challenge),
			oauth2.SetAuthURLParam("code_challenge_method", "S256")), http.StatusFound)
	})
	http.HandleFunc("/cb", func(w http.ResponseWriter, r *http.Request) {
		told := map[string]interface{}{"error": r.FormValue("error")}
		if r.FormValue("state") != state {
			log.Fatal("another state")
		}
		if r.FormValue("error") == "" {
			token, err := config.Exchange(ctx, r.FormValue("code"), oauth2.SetAuthURLParam("code_verifier", proof))
			if err != nil {
				log.Fatal(err)
			}
			idToken, err := verifier.Verify(ctx, token.Extra("id_token").(string))
			if err != nil || idToken.Nonce != nonce {
				log.Fatal("no good ID token: ", err)
			}
			person, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
			if err != nil {
				log.Fatal(err)
			}
			person.Claims(&told)
		}
		json.NewEncoder(w).Encode(told)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
`,
};

/** The libraries are compiled once for all runs. */
function build(file: string, folder: string): string {
  const program = join(folder, 'program');
  const cache = join(root, '.cache', 'go');
  mkdirSync(cache, { recursive: true });
  const built = spawnSync('/usr/bin/go', ['build', '-o', program, file], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: cache },
  });
  if (built.status !== 0) throw new Error(built.stderr);
  return program;
}

const MODULES = [
  'mpm_event',
  'authn_core',
  'authz_core',
  'authz_user',
  'proxy',
  'proxy_http',
  'auth_openidc',
];

const LOADED = MODULES.map(
  (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
).join('\n');

/** @param behind the port of the application that Apache protects */
export const apacheBefore = (behind: number): Language => ({
  file: 'apache.conf',
  command: (file) => ['/usr/sbin/apache2', '-DFOREGROUND', '-f', file],
  program: (configuration) => `
${LOADED}
ServerRoot \${HOME}
ServerName localhost
Listen 127.0.0.1:\${PORT}
PidFile \${HOME}/apache.pid
ErrorLog "|$/bin/cat >&2"
User nobody
Group nogroup
${configuration}
ProxyPass /redirect !
ProxyPass / http://127.0.0.1:${behind}/
`,
});

/** What stands behind Apache: it says which claims it was given. @returns its port */
export async function openBackEnd(): Promise<number> {
  const server = createServer(({ headers }, response) => {
    const claims = Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('oidc_claim_') ? [[name.slice('oidc_claim_'.length), value]] : [],
    );
    response.setHeader('content-type', 'text/plain');
    response.end(JSON.stringify(Object.fromEntries(claims)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
