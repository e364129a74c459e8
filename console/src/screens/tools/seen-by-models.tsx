import type { Tool } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { Snippet } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'

const t = translator('tools')

/** Shows the functions and parameters that models receive. They belong to the saved version of the tool. */
export const SeenByModels = ({ tool }: { tool: Tool }) => (
  <Section title={t('models.title')} description={t('models.description')}>
    {tool.functions.map((one) => (
      <details key={one.name} className="rounded-xl border border-line">
        <summary className="px-3 py-2 text-sm">
          <code className="font-mono font-medium">{one.name}</code>{' '}
          <span className="wrap-anywhere text-muted">{one.description}</span>
        </summary>
        <div className="px-3 pb-3">
          <Snippet
            label={t('models.parameters', { name: one.name })}
            code={JSON.stringify(one.parameters, null, 2)}
          />
        </div>
      </details>
    ))}
  </Section>
)
