import { useNavigate } from '@tanstack/react-router'
import { Check, Plus } from 'lucide-react'
import { translator } from '../messages/index.ts'
import { Avatar } from '../ui/avatar.tsx'
import type { Trigger } from '../ui/late-panel.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu.tsx'
import { useHere } from './organization.tsx'

const t = translator('shell')

/** The menu that switches between the user's organizations. */
export default function OrganizationMenu({ trigger }: { trigger: Trigger }) {
  const { organization, organizations } = useHere()
  const navigate = useNavigate()
  const go = (to: string, org_id: string) => void navigate({ to, search: { org_id } })
  return (
    <Menu defaultOpen align="start" trigger={trigger}>
      <MenuLabel>{t('organizations.title')}</MenuLabel>
      {organizations.map(({ id, name }) => (
        <MenuItem key={id} onSelect={() => go('/', id)}>
          <Avatar id={id} name={name} />
          <span className="max-w-56 grow truncate">{name}</span>
          {id === organization.id && (
            <Check aria-label={t('theme.selected')} size={15} className="shrink-0" />
          )}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={Plus} onSelect={() => go('/organizations/new', organization.id)}>
        {t('organizations.create')}
      </MenuItem>
    </Menu>
  )
}
