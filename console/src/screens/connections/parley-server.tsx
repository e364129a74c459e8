import { Link } from '@tanstack/react-router'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { formatList } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { clientConfig } from './client-config.ts'

const t = translator('connections')

const PERMISSIONS = ['agent:read', 'agent:execute', 'kb:read', 'chats:read']

/** Explains how other MCP clients can use agents, knowledge bases and instructions. */
export function ParleyServer() {
  const { organization, may } = useHere()
  const url = `${location.origin}/mcp`
  return (
    <div className="flex flex-col gap-6">
      <Section title={t('parley.title')} description={t('parley.description')}>
        <Snippet label={t('client.url')} code={url} />
        <p className="text-sm">{t('parley.intro')}</p>
        <ul className="list-disc pl-5 text-sm text-muted">
          <li>{t('parley.agents')}</li>
          <li>{t('parley.knowledge')}</li>
          <li>{t('parley.instructions')}</li>
        </ul>
      </Section>
      <Section
        title={t('parley.keyTitle')}
        description={t('parley.keyDescription', { organization: organization.name })}
      >
        <Snippet
          label={t('client.configuration')}
          code={clientConfig('parley', url, { Authorization: 'Bearer YOUR_API_KEY' })}
        />
        {may('organization:admin') ? (
          <p className="text-sm">
            {t.rich('parley.createKey', {
              permissions: formatList(PERMISSIONS),
              link: (text) => (
                <Link to="/api_keys" className="text-accent underline">
                  {text}
                </Link>
              ),
            })}
          </p>
        ) : (
          <p className="text-sm text-muted">
            {t('parley.administrator', { organization: organization.name })}
          </p>
        )}
      </Section>
    </div>
  )
}
