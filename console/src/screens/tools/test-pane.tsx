import type { Tool } from '@parley/client/schemas'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { loadChunk } from '../../ui/chunks.ts'
import { Skeleton } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ValueField } from '../../ui/value-field.tsx'
import { TestByValues } from './test-by-values.tsx'

const t = translator('tools')

/** Loaded in a separate chunk, because it needs the Markdown renderer. */
const TestByModel = lazy(() => loadChunk(() => import('./test-by-model.tsx')))

/** Tests the saved version of a tool, either with given values or through a language model. */
export function TestPane({ tool, isUnsaved }: { tool: Tool; isUnsaved: boolean }) {
  const { may } = useHere()
  const { by = 'values' } = useSearch({ from: '/app/tools/$toolId' })
  const navigate = useNavigate({ from: '/tools/$toolId' })
  const [config, setConfig] = useState<Record<string, string>>({})
  const configItems = Object.entries(config)
    .filter(([name, value]) => value !== '' && tool.configuration.some((one) => one.name === name))
    .map(([name, value]) => ({ name, value }))
  const configFields = <ConfigFields tool={tool} config={config} onConfig={setConfig} />
  return (
    <section
      aria-label={t('test.label', { name: tool.name })}
      className="flex flex-col rounded-2xl border border-line bg-raised xl:max-h-[calc(100dvh-3rem)]"
    >
      <h2 className="px-4 pt-3 pb-2 font-semibold">{t('test.title')}</h2>
      {isUnsaved && (
        <p role="status" className="bg-warning-soft px-4 py-2 text-sm text-warning">
          {t('test.unsaved')}
        </p>
      )}
      {may('tool:execute') ? (
        <div
          role="group"
          aria-label={t('test.pane')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
          tabIndex={0}
          className="flex min-h-0 flex-col gap-4 overflow-y-auto px-4 pt-1 pb-4"
        >
          <div className="shrink-0 pb-1">
            <Tabs
              minor
              label={t('test.mode.label')}
              tabs={[
                ['values', t('test.mode.values')],
                ['model', t('test.mode.model')],
              ]}
              value={by}
              onChange={(name) =>
                void navigate({
                  search: (before) => ({ ...before, by: name === 'model' ? name : undefined }),
                  replace: true,
                })
              }
            />
          </div>
          {by === 'model' ? (
            <Suspense fallback={<Skeleton className="h-64" />}>
              <TestByModel tool={tool} configItems={configItems}>
                {configFields}
              </TestByModel>
            </Suspense>
          ) : (
            <TestByValues tool={tool} configItems={configItems}>
              {configFields}
            </TestByValues>
          )}
        </div>
      ) : (
        <p className="px-4 pb-4 text-sm text-muted">{t('test.readOnly')}</p>
      )}
    </section>
  )
}

interface ConfigFieldsProps {
  tool: Tool
  config: Record<string, string>
  onConfig: (config: Record<string, string>) => void
}

/** Fields for configuration values. Each test sends them, and the server does not store them. */
const ConfigFields = ({ tool, config, onConfig }: ConfigFieldsProps) =>
  tool.configuration.length > 0 && (
    <fieldset className="flex flex-col gap-3 rounded-xl border border-line p-3">
      <legend className="px-1 text-sm text-muted">{t('test.configuration')}</legend>
      {tool.configuration.map((descriptor) => (
        <ValueField
          key={descriptor.name}
          descriptor={descriptor}
          text={config[descriptor.name] ?? ''}
          onText={(text) => onConfig({ ...config, [descriptor.name]: text })}
        />
      ))}
    </fieldset>
  )
