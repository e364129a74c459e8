import { useNavigate } from '@tanstack/react-router'
import { Check, Keyboard, LogOut, Monitor, Moon, Sun, UserCog } from 'lucide-react'
import { translator } from '../messages/index.ts'
import { signOut } from '../ui/deletions.ts'
import type { Trigger } from '../ui/late-panel.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu.tsx'
import { chooseTheme, chosenTheme } from '../ui/theme.ts'
import { showOverlay } from './overlay.ts'

const t = translator('shell')

const THEMES = [
  ['system', Monitor],
  ['light', Sun],
  ['dark', Moon],
] as const

/** The user's menu: the account, the appearance, the shortcuts and signing out. */
export default function AccountMenu({ trigger }: { trigger: Trigger }) {
  const navigate = useNavigate()
  const theme = chosenTheme()
  return (
    <Menu defaultOpen align="start" trigger={trigger}>
      <MenuItem icon={UserCog} onSelect={() => void navigate({ to: '/account' })}>
        {t('account.settings')}
      </MenuItem>
      <MenuItem icon={Keyboard} onSelect={() => showOverlay('shortcuts')}>
        {t('shortcuts.title')}
      </MenuItem>
      <MenuLine />
      <MenuLabel>{t('theme.title')}</MenuLabel>
      {THEMES.map(([name, icon]) => (
        <MenuItem key={name} icon={icon} onSelect={() => chooseTheme(name)}>
          <span className="grow">{t(`theme.${name}`)}</span>
          {name === theme && <Check aria-label={t('theme.selected')} size={15} />}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={LogOut} onSelect={() => void signOut()}>
        {t('account.signOut')}
      </MenuItem>
    </Menu>
  )
}
