"""Long trials of the whole companion: plugs pulled, hours played, games with slips and disturbances."""
