import { describe, expect, test } from 'vitest'
import { cleanName, readRegistration } from './registration.ts'

const withUris = (...redirect_uris: unknown[]) => readRegistration({ redirect_uris, client_name: 'x' })

describe('client registration', () => {
  test('keeps only supported fields, and no URL that the server would fetch', () => {
    const read = readRegistration({
      redirect_uris: ['https://app.example/back'],
      client_name: '  An\u202e app\n ',
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
      jwks_uri: 'http://169.254.169.254/',
      sector_identifier_uri: 'https://10.0.0.1/',
      logo_uri: 'https://app.example/logo.png',
      scope: 'everything',
      token_endpoint_auth_method: 'none',
    })
    expect(read).toEqual({
      redirect_uris: ['https://app.example/back'],
      client_name: 'An app',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'web',
      token_endpoint_auth_method: 'none',
    })
  })

  test.each([
    'https://app.example/back',
    'http://127.0.0.1:1234/cb',
    'http://localhost/cb',
    'http://[::1]:9/cb',
    'com.example.app:/callback',
    'com.example.app://callback/path?from=1',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'vscode-insiders://vscode.github-authentication/did-authenticate',
    'windsurf://codeium.windsurf/callback',
    'windsurf-next://codeium.windsurf/callback',
    'vscodium://publisher.extension/back',
    'code-oss://publisher.extension/back',
    'kiro://kiro.kiroAgent/callback',
    'trae://trae.ai/callback',
    'claude://oauth/callback',
    'zed://mcp/callback',
    'jetbrains://idea/mcp/callback',
    'raycast://oauth?package_name=x',
    'warp://mcp/oauth2callback',
    'goose:/callback',
    'lmstudio://callback',
    'vscode-oss://publisher.extension/back',
    'jetbrains-gateway://oauth/callback',
    'android-studio://mcp/callback',
    'github-copilot://callback',
    'kilo-code://oauth',
    'cherrystudio://oauth/callback',
    'claude-nightly://oauth/callback',
    'http://LOCALHOST:33418/',
    'HTTPS://app.example/back',
    'CURSOR://anysphere.cursor-mcp/oauth/callback',
  ])('accepts %s', (uri) => {
    expect(withUris(uri)['redirect_uris']).toEqual([uri])
  })

  test.each([
    'http://app.example/back',
    'javascript:alert(1)//',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ms-msdt:/id',
    'intent://scan/#Intent;scheme=zxing;end',
    'search-ms:query=x',
    'web+app:/callback',
    'app:/callback',
    'cursors://callback',
    'cursor',
    'cursor://callback#x',
    'cursor://user@callback',
    'vscode://callback/\r\nx',
    'VBScript:msgbox(1)',
    'DATA:text/html;base64,PHNjcmlwdD4=',
    'File:///C:/Windows',
    'blob:https://app.example/1',
    'about:blank',
    'view-source:https://app.example/',
    'filesystem:https://app.example/x',
    'ws://localhost/back',
    'wss://app.example/back',
    'ftp://app.example/back',
    'mailto:someone@app.example',
    'tel:123',
    'ssh://app.example/',
    'chrome://settings',
    'chrome-extension://abc/back',
    'http://127.0.0.2/cb',
    'HTTP://Example.com/cb',
    'http://localhost.app.example/cb',
    '.com:/callback',
    'https://app.example/#x',
    'https://app.example/#',
    'https://user@app.example/',
    'https://app.example\\@evil.example/',
    'https://app.example/\r\nSet-Cookie: a=b',
    'https://app.example/a b',
    'https://app.example/"><script>',
    '\thttps://app.example/',
    'not an address',
    `https://app.example/${'x'.repeat(2_000)}`,
    7,
  ])('refuses %s', (uri) => {
    expect(() => withUris(uri)).toThrow()
  })

  test('refuses a list that has one unsafe URI among good ones', () => {
    const good = ['cursor://back', 'https://app.example/back', 'http://localhost:8787/back']
    expect(withUris(...good)).toMatchObject({ redirect_uris: good, application_type: 'native' })
    for (const unsafe of ['jAvAsCrIpT:alert(1)', 'http://app.example/back', 'file:///etc/passwd'])
      expect(() => withUris(...good, unsafe)).toThrow(unsafe)
  })

  test.each([{}, null, 'text', { redirect_uris: [] }, { redirect_uris: 'https://a.example' }])(
    'refuses a body without redirect URIs: %j',
    (body) => expect(() => readRegistration(body)).toThrow('redirect_uris'),
  )

  test('refuses too many redirect URIs and unsupported authentication methods', () => {
    expect(() => withUris(...Array.from({ length: 21 }, (_, i) => `https://a.example/${i}`))).toThrow()
    expect(() =>
      readRegistration({
        redirect_uris: ['https://a.example/'],
        token_endpoint_auth_method: 'private_key_jwt',
      }),
    ).toThrow('token_endpoint_auth_method')
  })
})

test('a client name is a single line of visible characters', () => {
  expect(cleanName('\u0000A\u202eB\u2028C  D')).toBe('A B C D')
  expect(cleanName('n'.repeat(500))).toHaveLength(100)
})
