import type { Tool } from '@parley/client/schemas'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { LANGUAGE_NAMES, languageOf } from './languages.ts'
import { SeenByModels } from './seen-by-models.tsx'

/** Another organization's public tool: agents may have it, and its code stays with those who wrote it. */
export const ForeignTool = ({ tool }: { tool: Tool }) => (
  <div className="flex flex-col gap-6">
    <Section
      title="A public tool of another organization"
      description={`Your agents may use it. Its ${LANGUAGE_NAMES[languageOf(tool)]} code is shown only to those who wrote it, and may change at any time: what agents give it, they give to its authors.`}
    >
      {tool.description && <p className="wrap-anywhere">{tool.description}</p>}
      {tool.settings.network.length > 0 && (
        <p className="text-sm wrap-anywhere text-muted">It may reach {tool.settings.network.join(', ')}.</p>
      )}
    </Section>
    {tool.configuration.length > 0 && (
      <Section title="Configuration" description="What whoever gives it to an agent has to set.">
        <Table
          label="Configuration"
          rows={tool.configuration}
          keyOf={({ name }) => name}
          columns={[
            { header: 'Name', cell: ({ name }) => <code className="font-mono">{name}</code> },
            { header: 'Type', cell: ({ type, secret }) => (secret ? `${type}, secret` : type) },
            { header: 'Description', cell: ({ description }) => description },
          ]}
        />
      </Section>
    )}
    <SeenByModels tool={tool} />
  </div>
)
