import { Link } from '@tanstack/react-router'
import { useHere } from '../../shell/organization.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'
import { clientConfig } from './client-config.ts'

/** The other way round: agents and knowledge bases as tools of other programs. */
export function ParleyServer() {
  const { organization, may } = useHere()
  const address = `${location.origin}/mcp`
  return (
    <div className="flex flex-col gap-6">
      <Section
        title="Use Parley in your MCP client"
        description="Your agents and knowledge bases become tools in Claude, Cursor and other programs that speak MCP."
      >
        <Snippet label="address" code={address} />
        <p className="text-sm">
          Most clients need nothing but this address: they open a page on which you sign in and choose an
          organization. An API key with the name of the program is made for it there; delete the key, and the
          program is out.
        </p>
        <ul className="list-disc pl-5 text-sm text-muted">
          <li>Each active agent is a tool. A call is one reply, and is paid as one.</li>
          <li>Knowledge bases can be listed and searched.</li>
        </ul>
      </Section>
      <Section
        title="With an API key"
        description={`For clients that cannot sign in. The key says that it is about ${organization.name}.`}
      >
        <Snippet
          label="settings"
          code={clientConfig('parley', address, { Authorization: 'Bearer YOUR_API_KEY' })}
        />
        {may('organization:admin') ? (
          <p className="text-sm">
            <Link to="/api_keys" className="text-accent underline">
              Make a key
            </Link>{' '}
            with agent:read, agent:execute and kb:read.
          </p>
        ) : (
          <p className="text-sm text-muted">An administrator of {organization.name} makes keys.</p>
        )}
      </Section>
    </div>
  )
}
