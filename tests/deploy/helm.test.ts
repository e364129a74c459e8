import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '#config'
import { checkObject } from './check-object.ts'
import { renderChart } from './render-helm.ts'
import { STOP_DEADLINE_SECONDS } from './stop-deadline.ts'

const CHART = 'deploy/helm/parley'
/** The keys that values.yaml requires of the Secret. */
const SECRET = {
  SECRET: 'f'.repeat(32),
  DATABASE_URL: 'postgres://parley:password@postgres/parley',
  REDIS_URL: 'redis://valkey',
  S3_BUCKET: 'parley',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
}
const DEFAULTS = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'))
const REQUIRED = {
  ...DEFAULTS,
  image: 'registry.example.com/parley:0.1.0',
  secretName: 'parley',
  settings: { ...DEFAULTS.settings, BASE_URL: 'https://parley.example.com' },
}
const EVERYTHING = {
  ...REQUIRED,
  imagePullSecrets: ['registry'],
  autoscaling: { ...DEFAULTS.autoscaling, enabled: true },
  ingress: {
    ...DEFAULTS.ingress,
    enabled: true,
    className: 'nginx',
    host: 'parley.example.com',
    tlsSecretName: 'tls',
  },
  serviceMonitor: { ...DEFAULTS.serviceMonitor, enabled: true, labels: { release: 'prometheus' } },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
}

const isValid = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')),
)
const namesOf = (objects: Record<string, unknown>[]) =>
  objects.map(({ kind, metadata }) => `${kind} ${(metadata as { name: string }).name}`).sort()

test('the schema accepts complete values', () => {
  for (const values of [REQUIRED, EVERYTHING]) expect([isValid(values), isValid.errors]).toEqual([true, null])
})

test.each([
  ['no values', {}],
  ['an image without a tag', { image: 'registry.example.com:5000/parley' }],
  ['the tag latest', { image: 'registry.example.com/parley:latest' }],
  ['no Secret', { secretName: '' }],
  ['a setting that is a number', { settings: { ...REQUIRED.settings, PORT: 3000 } }],
  ['an unknown value', { replicas: 3 }],
  ['an ingress without a host', { ingress: { ...DEFAULTS.ingress, enabled: true } }],
])('the schema refuses %s', (name, values) => {
  expect(isValid({ ...(name === 'no values' ? DEFAULTS : REQUIRED), ...values })).toBe(false)
})

test('the default values render two roles and a migration', () => {
  const objects = renderChart(CHART, 'parley', REQUIRED)
  expect(namesOf(objects)).toEqual([
    'Deployment parley-api',
    'Deployment parley-worker',
    'Job parley-migrate',
    'PodDisruptionBudget parley-api',
    'PodDisruptionBudget parley-worker',
    'Service parley-api',
    'Service parley-worker',
  ])
})

test.each([
  ['required values', REQUIRED],
  ['every value', EVERYTHING],
])('%s render objects that Kubernetes accepts, without unknown fields', (_, values) => {
  for (const object of renderChart(CHART, 'parley', values))
    expect([object, checkObject(object)]).toEqual([object, []])
})

test('a misspelled field is found', () => {
  const [object] = renderChart(CHART, 'parley', REQUIRED)
  const spec = { ...(object?.['spec'] as object), replica: 1 }
  expect(checkObject({ ...object, spec })).toEqual(['/spec/replica'])
})

test('optional objects are rendered if they are enabled, and the autoscaler owns the number of replicas', () => {
  const objects = renderChart(CHART, 'parley', EVERYTHING)
  const added = ['HorizontalPodAutoscaler parley-api', 'Ingress parley', 'ServiceMonitor parley']
  expect(namesOf(objects)).toEqual(expect.arrayContaining(added))
  const replicas = objects
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => (spec as { replicas?: number }).replicas)
  expect(replicas).toEqual([undefined, 2])
})

test('the server accepts the environment of each Pod, and has time to stop', () => {
  for (const { kind, spec } of renderChart(CHART, 'parley', REQUIRED)) {
    if (kind !== 'Deployment' && kind !== 'Job') continue
    const pod = (spec as { template: { spec: Pod } }).template.spec
    const env = Object.fromEntries((pod.containers[0]?.env ?? []).map(({ name, value }) => [name, value]))
    const config = readConfig({ ...SECRET, ...env })
    if (kind === 'Job') continue
    expect(config).toMatchObject({ baseUrl: 'https://parley.example.com', trustProxy: 1 })
    expect(['api', 'worker']).toContain(config.role)
    const { preStop } = pod.containers[0]?.lifecycle ?? {}
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(
      (preStop?.sleep.seconds ?? 0) + STOP_DEADLINE_SECONDS,
    )
  }
})

test('the chart has the version of the project', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8'))).toMatchObject({ version, appVersion: version })
})

interface Pod {
  terminationGracePeriodSeconds: number
  containers: {
    env?: { name: string; value: string }[]
    lifecycle?: { preStop: { sleep: { seconds: number } } }
  }[]
}
