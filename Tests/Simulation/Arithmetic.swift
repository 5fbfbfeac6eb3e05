internal import Platform

/// `base` to the power `exponent`.
func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

/// e to the power `exponent`.
func exponential(_ exponent: Double) -> Double { exp(exponent) }
