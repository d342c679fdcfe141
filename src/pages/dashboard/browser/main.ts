/** The dashboard's one script. Every page works without it, except that nothing updates by itself. */
import './copy-buttons.ts'
import './keyboard.ts'
import './check-all.ts'
import './navigation.ts'
import './palette.ts'
import './rows.ts'
import './live.ts'
