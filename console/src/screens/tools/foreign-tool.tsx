import type { Tool } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { formatList } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { LANGUAGE_NAMES, languageOf } from './languages.ts'
import { SeenByModels } from './seen-by-models.tsx'

const t = translator('tools')

/** The page of another organization's public tool. Agents can use the tool, but its code stays hidden. */
export const ForeignTool = ({ tool }: { tool: Tool }) => (
  <div className="flex flex-col gap-6">
    <Section
      title={t('foreign.title')}
      description={t('foreign.description', { language: LANGUAGE_NAMES[languageOf(tool)] })}
    >
      {tool.description && <p className="wrap-anywhere">{tool.description}</p>}
      {tool.settings.network.length > 0 && (
        <p className="text-sm wrap-anywhere text-muted">
          {t('foreign.network', { hosts: formatList(tool.settings.network) })}
        </p>
      )}
    </Section>
    {tool.configuration.length > 0 && (
      <Section title={t('foreign.configurationTitle')} description={t('foreign.configuration')}>
        <Table
          label={t('foreign.configurationTitle')}
          rows={tool.configuration}
          keyOf={({ name }) => name}
          columns={[
            { header: t('columns.name'), cell: ({ name }) => <code className="font-mono">{name}</code> },
            {
              header: t('columns.type'),
              cell: ({ type, secret }) =>
                secret ? t('foreign.secret', { type: t(`types.${type}`) }) : t(`types.${type}`),
            },
            { header: t('columns.description'), cell: ({ description }) => description },
          ]}
        />
      </Section>
    )}
    <SeenByModels tool={tool} />
  </div>
)
