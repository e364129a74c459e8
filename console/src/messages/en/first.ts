import earlyErrors from './early-errors.ts'
import fields from './fields.ts'
import home from './home.ts'
import identity from './identity.ts'
import shell from './shell.ts'
import ui from './ui.ts'

export default { ui, shell, home, identity, earlyErrors, fields }
