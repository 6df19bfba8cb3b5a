/// RFC 7748 section 5: the same steps for every key.
enum X25519 {
    /// nil unless both have 32 bytes.
    static func multiply(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8]? {
        guard scalar.count == 32, point.count == 32 else { return nil }
        var scalar = scalar
        scalar[0] &= 248
        scalar[31] = scalar[31] & 127 | 64
        let x = Field(point)
        var (x2, z2, x3, z3) = (Field.one, Field.zero, x, Field.one)
        var swapped: UInt64 = 0
        for place in (0..<255).reversed() {
            let bit = UInt64(scalar[place / 8] >> UInt8(place % 8) & 1)
            Field.swap(&x2, &x3, bit ^ swapped)
            Field.swap(&z2, &z3, bit ^ swapped)
            swapped = bit
            let a = x2 + z2
            let b = x2 - z2
            let (aa, bb) = (a * a, b * b)
            let e = aa - bb
            let da = (x3 - z3) * a
            let cb = (x3 + z3) * b
            let (sum, difference) = (da + cb, da - cb)
            x3 = sum * sum
            z3 = x * (difference * difference)
            x2 = aa * bb
            z2 = e * (aa + e.times(121_665))
        }
        Field.swap(&x2, &x3, swapped)
        Field.swap(&z2, &z3, swapped)
        return (x2 * z2.inverse).bytes
    }
}

/// A number modulo 2^255 - 19, in five limbs of 51 bits with room above them.
private struct Field {
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64
    private var e: UInt64

    static let zero = Field(0, 0, 0, 0, 0)
    static let one = Field(1, 0, 0, 0, 0)
    private static let mask: UInt64 = 1 << 51 - 1

    private init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ e: UInt64) {
        (self.a, self.b, self.c, self.d, self.e) = (a, b, c, d, e)
    }

    /// 32 bytes, the lowest first; the highest bit does not count.
    init(_ bytes: [UInt8]) {
        var words: [UInt64] = [0, 0, 0, 0]
        for (place, byte) in bytes.enumerated() { words[place / 8] |= UInt64(byte) << UInt64(place % 8 * 8) }
        let b = words[0] >> 51 | words[1] << 13
        let c = words[1] >> 38 | words[2] << 26
        let d = words[2] >> 25 | words[3] << 39
        let e = words[3] >> 12
        self.init(words[0] & Self.mask, b & Self.mask, c & Self.mask, d & Self.mask, e & Self.mask)
    }

    /// The one number below the modulus.
    var bytes: [UInt8] {
        var field = carried.carried
        // Adding 19 runs over bit 255 exactly where the number is not below the modulus.
        var over = (field.a + 19) >> 51
        over = (field.b + over) >> 51
        over = (field.c + over) >> 51
        over = (field.d + over) >> 51
        over = (field.e + over) >> 51
        field.a += 19 * over
        field.b += field.a >> 51
        field.c += field.b >> 51
        field.d += field.c >> 51
        field.e += field.d >> 51
        let limbs = [field.a, field.b, field.c, field.d, field.e].map { $0 & Self.mask }
        let first = limbs[0] | limbs[1] << 51
        let second = limbs[1] >> 13 | limbs[2] << 38
        let third = limbs[2] >> 26 | limbs[3] << 25
        let fourth = limbs[3] >> 39 | limbs[4] << 12
        var bytes: [UInt8] = []
        for word in [first, second, third, fourth] {
            for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * place))) }
        }
        return bytes
    }

    private var carried: Field {
        var field = self
        field.b += field.a >> 51
        field.c += field.b >> 51
        field.d += field.c >> 51
        field.e += field.d >> 51
        return Field(
            (field.a & Self.mask) + 19 * (field.e >> 51), field.b & Self.mask, field.c & Self.mask, field.d & Self.mask,
            field.e & Self.mask)
    }

    static func + (x: Field, y: Field) -> Field {
        Field(x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d, x.e + y.e).carried
    }

    /// Four times the modulus is added first, so that no limb goes below zero.
    static func - (x: Field, y: Field) -> Field {
        let (low, others): (UInt64, UInt64) = (4 * ((1 << 51) - 19), 4 * ((1 << 51) - 1))
        return Field(
            x.a + low - y.a, x.b + others - y.b, x.c + others - y.c, x.d + others - y.d, x.e + others - y.e
        ).carried
    }

    static func * (x: Field, y: Field) -> Field {
        let (b19, c19, d19, e19) = (19 * y.b, 19 * y.c, 19 * y.d, 19 * y.e)
        var a = Wide(x.a, y.a)
        a.add(x.b, e19)
        a.add(x.c, d19)
        a.add(x.d, c19)
        a.add(x.e, b19)
        var b = Wide(x.a, y.b)
        b.add(x.b, y.a)
        b.add(x.c, e19)
        b.add(x.d, d19)
        b.add(x.e, c19)
        var c = Wide(x.a, y.c)
        c.add(x.b, y.b)
        c.add(x.c, y.a)
        c.add(x.d, e19)
        c.add(x.e, d19)
        var d = Wide(x.a, y.d)
        d.add(x.b, y.c)
        d.add(x.c, y.b)
        d.add(x.d, y.a)
        d.add(x.e, e19)
        var e = Wide(x.a, y.e)
        e.add(x.b, y.d)
        e.add(x.c, y.c)
        e.add(x.d, y.b)
        e.add(x.e, y.a)
        return reduced(a, b, c, d, e)
    }

    func times(_ small: UInt64) -> Field {
        Field.reduced(Wide(a, small), Wide(b, small), Wide(c, small), Wide(d, small), Wide(e, small))
    }

    private static func reduced(_ a: Wide, _ b: Wide, _ c: Wide, _ d: Wide, _ e: Wide) -> Field {
        var (b, c, d, e) = (b, c, d, e)
        b.add(a.above)
        c.add(b.above)
        d.add(c.above)
        e.add(d.above)
        return Field(a.limb + 19 * e.above, b.limb, c.limb, d.limb, e.limb).carried
    }

    /// By Fermat: the power 2^255 - 21, whose bits are ones but for bits 2 and 4.
    var inverse: Field {
        var result = Field.one
        for place in (0..<255).reversed() {
            result = result * result
            if place != 2 && place != 4 { result = result * self }
        }
        return result
    }

    /// `flag` is 0 or 1.
    static func swap(_ x: inout Field, _ y: inout Field, _ flag: UInt64) {
        let choice = 0 &- flag
        func exchange(_ one: inout UInt64, _ other: inout UInt64) {
            let difference = (one ^ other) & choice
            one ^= difference
            other ^= difference
        }
        exchange(&x.a, &y.a)
        exchange(&x.b, &y.b)
        exchange(&x.c, &y.c)
        exchange(&x.d, &y.d)
        exchange(&x.e, &y.e)
    }

    /// A sum of products, in 128 bits.
    private struct Wide {
        private var low: UInt64
        private var high: UInt64

        init(_ x: UInt64, _ y: UInt64) {
            let product = x.multipliedFullWidth(by: y)
            (low, high) = (product.low, product.high)
        }

        mutating func add(_ x: UInt64, _ y: UInt64) {
            let product = x.multipliedFullWidth(by: y)
            add(product.low)
            high += product.high
        }

        mutating func add(_ small: UInt64) {
            let sum = low &+ small
            // The carry, without a branch.
            high += ((low & small) | ((low | small) & ~sum)) >> 63
            low = sum
        }

        var limb: UInt64 { low & Field.mask }
        var above: UInt64 { low >> 51 | high << 13 }
    }
}
