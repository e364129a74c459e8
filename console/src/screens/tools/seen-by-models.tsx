import type { Tool } from '@parley/client/schemas'
import { Snippet } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'

/** What a model is told of a tool as it is saved. */
export const SeenByModels = ({ tool }: { tool: Tool }) => (
  <Section
    title="What models see"
    description="Of the tool as it is saved: its functions, and what each of them takes."
  >
    {tool.functions.map((one) => (
      <details key={one.name} className="rounded-xl border border-line">
        <summary className="px-3 py-2 text-sm">
          <code className="font-mono font-medium">{one.name}</code>{' '}
          <span className="wrap-anywhere text-muted">{one.description}</span>
        </summary>
        <div className="px-3 pb-3">
          <Snippet label={`Parameters of ${one.name}`} code={JSON.stringify(one.parameters, null, 2)} />
        </div>
      </details>
    ))}
  </Section>
)
