import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '#config'
import { STOP_DEADLINE_SECONDS } from './stop-deadline.ts'

describe('the Dockerfile', () => {
  const instructions = readFileSync('deploy/Dockerfile', 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter(Boolean)
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM')))
  const valuesOf = (name: string, lines = last): string[] =>
    lines.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1).trim()] : []))

  test('builds on an exact version of Node 24', () => {
    expect(valuesOf('ARG', instructions)[0]).toMatch(/^NODE=24\.\d+\.\d+-[a-z]+-slim$/)
    for (const base of valuesOf('FROM', instructions)) expect(base).toMatch(/^node:\$\{NODE\}/)
  })

  test('does not run as root', () => {
    expect(valuesOf('USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)])
  })

  test('checks the health with Node, in JavaScript that parses', () => {
    const [, command = ''] = /CMD (\[.*\])$/.exec(valuesOf('HEALTHCHECK')[0] ?? '') ?? []
    const [program, option, script] = JSON.parse(command)
    expect([program, option]).toEqual(['node', '-e'])
    expect(() => new Function(script)).not.toThrow()
    expect(script).toContain('/readyz')
  })

  test('sets an environment that the server accepts', () => {
    const pairs = (valuesOf('ENV')[0] ?? '').split(' ').map((pair) => pair.split('='))
    const config = readConfig(Object.fromEntries(pairs))
    expect(config).toMatchObject({ host: '0.0.0.0', port: 3000, signup: 'invite' })
    expect(valuesOf('VOLUME')).toEqual([config.dataDir])
  })
})

describe('compose.yaml', () => {
  const VARIABLES = [
    'SECRET',
    'POSTGRES_PASSWORD',
    'VALKEY_PASSWORD',
    'S3_SECRET_ACCESS_KEY',
    'METRICS_TOKEN',
  ]
  const secrets = Object.fromEntries(VARIABLES.map((name) => [name, 'f0'.repeat(32)]))
  const text = readFileSync('deploy/compose.yaml', 'utf8')
  const { services } = parse(interpolate(text, secrets), { merge: true })

  test.each(VARIABLES)('refuses to start without %s', (name) => {
    expect(() => interpolate(text, { ...secrets, [name]: '' })).toThrow(name)
  })

  test('has a version of every image', () => {
    for (const { image } of Object.values<Service>(services)) expect(image).toMatch(/:v?\d+\.\d+/)
  })

  test.each(['app', 'worker'])('gives %s an environment that the server accepts', (name) => {
    const config = readConfig({ HOST: '0.0.0.0', DATA_DIR: '/data', ...services[name].environment })
    expect(config.role).toBe(name === 'app' ? 'api' : name)
    expect(new URL(config.databaseUrl ?? '').hostname in services).toBe(true)
    expect(new URL(config.redisUrl ?? '').hostname in services).toBe(true)
    const bucket = services.storage
    expect(bucket.networks.default.aliases).toContain(new URL(config.s3?.endpoint ?? '').hostname)
    expect(bucket.environment).toMatchObject({
      S3_BUCKET: config.s3?.bucket,
      AWS_ACCESS_KEY_ID: config.s3?.accessKeyId,
      AWS_SECRET_ACCESS_KEY: config.s3?.secretAccessKey,
    })
  })

  test.each(['app', 'worker'])('restricts %s, and gives it time to stop', (name) => {
    expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] })
    expect(Number.parseInt(services[name].stop_grace_period, 10)).toBeGreaterThan(STOP_DEADLINE_SECONDS)
  })

  test('publishes ports only on loopback addresses', () => {
    const ports = Object.values<Service>(services).flatMap((service) => service.ports ?? [])
    expect(ports).toHaveLength(2)
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  })
})

test('the systemd unit gives the server time to stop', () => {
  const unit = readFileSync('deploy/parley.service', 'utf8')
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(STOP_DEADLINE_SECONDS)
})

interface Service {
  image: string
  ports?: string[]
}

/** Inserts variables as Compose does: `${NAME:-default}`, and `${NAME:?message}` for a required one. */
function interpolate(text: string, variables: Record<string, string>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, operator, rest) => {
    if (operator === '?' && !variables[name]) throw new Error(`${name} is required`)
    return variables[name] || (operator === '-' ? rest : '')
  })
}
